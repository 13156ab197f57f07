import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { Notice } from './notice.tsx';
import styles from './shell.module.css';
import { ThemeToggle } from './theme-toggle.tsx';

const sections = [
  ['/', 'Home'],
  ['/bundle', 'Check a bundle'],
  ['/status', 'Status'],
  ['/me', 'My account'],
  ['/console', 'Merchant console'],
] as const;

/** The frame of every page: a skip link, the menu, the page, and the footer. */
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
          <Link className={styles.brand} href="/">
            <img src="/favicon.svg" alt="" width="28" height="28" />
            <span>Tributary</span>
          </Link>
          <nav className={styles.nav} aria-label="Main">
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
          </nav>
          <ThemeToggle />
        </div>
      </header>
      <Notice />
      <main id="main" ref={main} className={styles.main} tabIndex={-1}>
        {children}
      </main>
      <footer className={styles.footer}>
        <p>
          Every figure here can be checked without us: against a chain of your choice, or offline.
        </p>
        <p>
          <a href="/docs">HTTP reference</a>
        </p>
      </footer>
    </div>
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
