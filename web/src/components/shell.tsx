import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { SearchBox } from '../search/search-box.tsx';
import { AccountLink } from './account-link.tsx';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import styles from './shell.module.css';
import { ThemeToggle } from './theme-toggle.tsx';
import { UnitsToggle } from './units-toggle.tsx';

/** Version of the project, from its package.json (`vite.config.ts`). */
declare const __VERSION__: string;

const sections = [
  [pathOf('campaigns'), 'Campaigns'],
  [pathOf('products'), 'Products'],
  [pathOf('distributors'), 'Distributors'],
  [pathOf('merchants'), 'Merchants'],
  [pathOf('sales'), 'Sales'],
  [pathOf('status'), 'Status'],
  [pathOf('join'), 'Earn'],
  [pathOf('console'), 'Sell'],
] as const;

/** The frame of every page: a skip link, the menu, the search, the page, and the footer. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(path, main);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <header className={styles.header}>
        <div className={styles.bar}>
          <Link className={styles.brand} href={pathOf('home')}>
            <img src="/favicon.svg" alt="" width="28" height="28" />
            <span>Tributary</span>
          </Link>
          <Menu key={path} path={path} />
          <SearchBox />
          <ThemeToggle />
        </div>
      </header>
      <Notice />
      <main id="main" ref={main} className={styles.main} tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </div>
  );
}

/** The pages of the site; on a narrow screen behind a button. It closes when its `key` changes. */
function Menu({ path }: { readonly path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </Button>
      <nav id="menu" className={styles.nav} data-open={isOpen} aria-label="Main">
        {sections.map(([href, name]) => (
          <Link
            key={href}
            href={href}
            className={styles.section}
            aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}
          >
            {name}
          </Link>
        ))}
        <AccountLink className={styles.section} isCurrent={path === pathOf('account')} />
      </nav>
    </>
  );
}

function Footer() {
  return (
    <footer className={styles.footer}>
      <p>
        Every figure here can be checked without us: against a chain of your choice, or offline.
      </p>
      <nav aria-label="More" className={styles.more}>
        <Link href={pathOf('bundle')}>Check a bundle</Link>
        <Link href={pathOf('glossary')}>Glossary</Link>
        <a href="/docs">HTTP reference</a>
        <a href="/openapi.json">OpenAPI</a>
        <span>Version {__VERSION__}</span>
      </nav>
      <UnitsToggle />
    </footer>
  );
}

/** After a step to another page a screen reader goes on at its heading, as after a load. */
function useFocusOnNavigation(path: string, main: { readonly current: HTMLElement | null }): void {
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [path, main]);
}
