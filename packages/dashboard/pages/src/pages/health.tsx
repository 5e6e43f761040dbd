import { useDoctor } from '../api/queries.js';
import type { DoctorFinding, DoctorReport } from '../contract.js';
import { capitalize } from '../format/labels.js';
import { Icon, type IconName } from '../components/icon.js';
import { Page } from '../components/page.js';
import { Load } from '../components/load.js';
import { Time } from '../components/time.js';

const WORST_FIRST = ['problem', 'warning', 'notice', 'good'] as const;

const ICONS: Readonly<Record<DoctorFinding['level'], IconName>> = {
  problem: 'critical',
  warning: 'alert',
  notice: 'info',
  good: 'check',
};

export function Health() {
  const doctor = useDoctor();
  return (
    <Page
      title="Health"
      actions={
        <button type="button" class="button" disabled={doctor.isFetching} onClick={() => void doctor.refetch()}>
          <Icon name="retry" />
          {doctor.isFetching ? 'Examining …' : 'Examine again'}
        </button>
      }
    >
      <Load from={doctor} lines={8}>
        {(report) => <Report report={report} />}
      </Load>
    </Page>
  );
}

function Report({ report: { server, takenAt, findings } }: { readonly report: DoctorReport }) {
  const sorted = [...findings].sort((one, other) => WORST_FIRST.indexOf(one.level) - WORST_FIRST.indexOf(other.level));
  return (
    <>
      <p class="lead">
        {server}, examined <Time at={takenAt} />.
      </p>
      <ul class="findings">
        {sorted.map(({ check, level, text, advice }) => (
          <li key={`${check}${text}`} class={`finding finding-${level}`}>
            <Icon name={ICONS[level]} />
            <div>
              <h2>
                {capitalize(check.replaceAll('-', ' '))}
                <span class="unseen">: {level}</span>
              </h2>
              <p>{text}</p>
              {advice !== null && <p class="advice">{advice}</p>}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
