import { useMe } from '../api/queries.js';
import { Icon } from '../components/icon.js';

export function RoleNote() {
  const me = useMe().data;
  if (!me) {
    return null;
  }
  const isReader = me.role === 'reader';
  if (!isReader && me.name === null) {
    return null;
  }
  return (
    <p class="role" title={isReader ? 'You can see everything and change nothing.' : 'You can change things.'}>
      {isReader && <Icon name="lock" />}
      {me.name ?? 'You'}
      {isReader && <span class="role-note">read only</span>}
    </p>
  );
}
