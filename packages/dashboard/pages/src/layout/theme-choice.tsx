import { Icon, type IconName } from '../components/icon.js';
import { type Theme, theme } from '../state/theme.js';

const CHOICES: readonly { readonly value: Theme; readonly name: string; readonly icon: IconName }[] = [
  { value: 'light', name: 'Light', icon: 'sun' },
  { value: 'system', name: 'As the system', icon: 'system' },
  { value: 'dark', name: 'Dark', icon: 'moon' },
];

export function ThemeChoice() {
  return (
    <fieldset class="theme">
      <legend class="unseen">Theme</legend>
      {CHOICES.map(({ value, name, icon }) => (
        <label key={value} title={name}>
          <input
            type="radio"
            name="theme"
            class="unseen"
            checked={theme.value === value}
            onChange={() => {
              theme.value = value;
            }}
          />
          <Icon name={icon} />
          <span class="unseen">{name}</span>
        </label>
      ))}
    </fieldset>
  );
}
