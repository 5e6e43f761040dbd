import { cutInMiddle } from '../format/cut.js';
import { visible } from '../format/visible.js';

interface NameProps {
  readonly text: string;
  /** The most characters that a column has space for. */
  readonly most?: number;
}

/** Shows a name or a key. A long one is cut, except for screen readers, in its tooltip, and on a narrow screen. */
export function Name({ text, most = 34 }: NameProps) {
  const whole = visible(text);
  const cut = cutInMiddle(whole, most);
  return cut === whole ? (
    <>{whole}</>
  ) : (
    <span class="cut" title={whole}>
      <span class="cut-shown" aria-hidden="true">
        {cut}
      </span>
      <span class="cut-whole">{whole}</span>
    </span>
  );
}
