import { useMe } from '../api/queries.js';

/** Shown if there are several databases. Reloads the page, so that no data of the other database remains. */
export function DatabaseChoice() {
  const databases = useMe().data?.databases ?? [];
  if (databases.length < 2) {
    return null;
  }
  const current = new URLSearchParams(location.search).get('database') ?? databases[0];
  const choose = (name: string) => {
    const overview = new URL(document.baseURI);
    if (name !== databases[0]) {
      overview.searchParams.set('database', name);
    }
    location.assign(overview);
  };
  return (
    <label class="database">
      <span class="unseen">Database</span>
      <select value={current} onChange={(event) => choose(event.currentTarget.value)}>
        {databases.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
