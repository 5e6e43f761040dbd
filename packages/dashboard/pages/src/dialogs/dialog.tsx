import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  /** True during a request: a click outside must not close the dialog. */
  readonly isBusy?: boolean;
  readonly children: ComponentChildren;
}

/** Uses the element of the browser, which traps and restores the focus, and closes on Escape. */
export function Dialog({ title, close, isBusy = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // An open dialog that is removed from the page does not restore the focus.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === dialog.current && !isBusy && close()}
    >
      <div class="dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps extends DialogProps {
  readonly verb: string;
  /** The label of the button that closes the dialog. Default: 'Keep as it is'. */
  readonly closeLabel?: string;
  readonly isDangerous?: boolean;
  readonly isBusy: boolean;
  readonly isReady?: boolean;
  readonly confirm: () => void;
}

/** Asks for confirmation. */
export function Confirm({
  verb,
  closeLabel = 'Keep as it is',
  isDangerous,
  isBusy,
  isReady = true,
  confirm,
  children,
  ...dialog
}: ConfirmProps) {
  return (
    <Dialog {...dialog} isBusy={isBusy}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        {children}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={dialog.close}>
            {closeLabel}
          </button>
          <button
            type="submit"
            class={`button ${isDangerous ? 'button-danger' : 'button-main'}`}
            disabled={isBusy || !isReady}
          >
            {isBusy ? 'Working …' : verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
