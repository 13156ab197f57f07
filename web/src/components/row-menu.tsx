import { Menu } from '@base-ui/react/menu';
import { useMutation } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Dialog } from './dialog.tsx';
import { Issue } from './issue.tsx';
import styles from './row-menu.module.css';

interface Question {
  /** `Revoke shop backend?` */
  readonly title: string;
  /** The effects of the action, and what it does not change. */
  readonly text: string;
}

/** An entry of a menu: a way to a page, or something to do, which may ask first. */
export type RowAction = { readonly name: string; readonly disabled?: boolean } & (
  | { readonly href: string }
  | { readonly run: () => unknown; readonly ask?: Question }
);

interface RowMenuProps {
  /** Name of the row: `order 579`. */
  readonly of: string;
  readonly actions: readonly RowAction[];
  /** The button of the menu, for dialogs that are opened by an entry: the focus returns to it. */
  readonly trigger?: RefObject<HTMLButtonElement | null>;
}

/** The menu at the end of a row: what can be done with it. */
export function RowMenu({ of, actions, trigger }: RowMenuProps) {
  const own = useRef<HTMLButtonElement>(null);
  const button = trigger ?? own;
  const [asked, setAsked] = useState<RowAction>();
  const run = useMutation({ mutationFn: async (action: () => unknown) => await action() });
  function chosen(action: RowAction) {
    if ('href' in action) return;
    if (action.ask) setAsked(action);
    else run.mutate(action.run);
  }
  return (
    <>
      <Menu.Root>
        <Menu.Trigger ref={button} className={styles.trigger} aria-label={`Actions for ${of}`}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <circle cx="5" cy="12" r="1.8" />
            <circle cx="12" cy="12" r="1.8" />
            <circle cx="19" cy="12" r="1.8" />
          </svg>
        </Menu.Trigger>
        {/* Within the page's landmark. */}
        <Menu.Portal container={document.getElementById('main')}>
          <Menu.Positioner className={styles.positioner} align="end" sideOffset={4}>
            <Menu.Popup className={styles.popup}>
              {actions.map((action) =>
                'href' in action ? (
                  <Menu.LinkItem
                    key={action.name}
                    className={styles.item}
                    render={<Link href={action.href} />}
                    closeOnClick
                  >
                    {action.name}
                  </Menu.LinkItem>
                ) : (
                  <Menu.Item
                    key={action.name}
                    className={styles.item}
                    disabled={action.disabled ?? false}
                    onClick={() => chosen(action)}
                  >
                    {action.name}
                  </Menu.Item>
                ),
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {asked && 'run' in asked && asked.ask && (
        <ConfirmDialog
          open
          name={asked.name}
          title={asked.ask.title}
          finalFocus={button}
          onConfirm={async () => await asked.run()}
          onClose={() => setAsked(undefined)}
        >
          {asked.ask.text}
        </ConfirmDialog>
      )}
      <Dialog title="That did not work" open={run.isError} onClose={run.reset} finalFocus={button}>
        <Issue of={run.error} />
      </Dialog>
    </>
  );
}
