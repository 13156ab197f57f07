import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** Gets the focus afterwards; default what had it before. */
  readonly finalFocus?: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
}

/** A window over the page, for one thing to do. Escape and a click outside of it close it. */
export function Dialog({ title, open, onClose, finalFocus, children }: DialogProps) {
  return (
    <BaseDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles.backdrop} />
        <BaseDialog.Popup className={styles.popup} {...(finalFocus && { finalFocus })}>
          <div className={styles.head}>
            <BaseDialog.Title>{title}</BaseDialog.Title>
            <Button quiet onClick={onClose} aria-label="Close">
              ×
            </Button>
          </div>
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
