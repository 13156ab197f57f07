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

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** In a column next to the parts, where there is room. */
  readonly isAside?: boolean;
}

/** The tab that the page's address names; without one the first. */
export function useChosenTab<T extends Pick<Tab, 'id'>>(tabs: readonly T[]): T | undefined {
  const [params] = useSearchParams();
  return tabs.find(({ id }) => id === params.get('tab')) ?? tabs[0];
}

/** Parts of a page, one shown at a time. The chosen one is in the address (`?tab=`), so that it can be linked to. */
export function Tabs({ label, tabs, isAside = false }: TabsProps) {
  const [, setParams] = useSearchParams();
  const first = tabs[0]?.id;
  const chosen = useChosenTab(tabs)?.id;
  const choose = (id: unknown) => {
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        if (id === first) next.delete('tab');
        else next.set('tab', String(id));
        return next;
      },
      { replace: true },
    );
  };
  return (
    <BaseTabs.Root
      value={chosen}
      onValueChange={choose}
      className={isAside ? styles.aside : undefined}
      orientation={isAside ? 'vertical' : 'horizontal'}
    >
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
