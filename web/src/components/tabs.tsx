import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import styles from './tabs.module.css';

/** A part of a page behind a tab; `id` is its name in the page's address. */
export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly content: ReactNode;
}

/** Parts of a page, one shown at a time. The chosen one is in the address (`?tab=`), so that it can be linked to. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const [params, setParams] = useSearchParams();
  const wanted = params.get('tab');
  const [first] = tabs;
  const chosen = tabs.find(({ id }) => id === wanted)?.id ?? first?.id;
  const choose = (id: unknown) => {
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        if (id === first?.id) next.delete('tab');
        else next.set('tab', String(id));
        return next;
      },
      { replace: true },
    );
  };
  return (
    <BaseTabs.Root value={chosen} onValueChange={choose}>
      <BaseTabs.List className={styles.list} aria-label={label}>
        {tabs.map(({ id, title }) => (
          <BaseTabs.Tab key={id} value={id} className={styles.tab}>
            {title}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map(({ id, content }) => (
        <BaseTabs.Panel key={id} value={id} className={styles.panel}>
          {content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
