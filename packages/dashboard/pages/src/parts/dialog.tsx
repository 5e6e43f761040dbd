import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  /** Whether something goes on that a click beside the dialog is not to end. */
  readonly isBusy?: boolean;
  readonly children: ComponentChildren;
}

/** The browser's own: it holds the focus, gives it back, and closes at Escape. */
export function Dialog({ title, close, isBusy = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Taken out of the page while open, it would not give the focus back.
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
  /** What the button to leave says. */
  readonly leave?: string;
  readonly isDangerous?: boolean;
  readonly isBusy: boolean;
  readonly isReady?: boolean;
  readonly confirm: () => void;
}

/** Asks before something is done; who changes their mind is never further than Escape. */
export function Confirm({
  verb,
  leave = 'Keep as it is',
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
            {leave}
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
