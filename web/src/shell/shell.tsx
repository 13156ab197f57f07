import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { Button } from '../components/button.tsx';
import { DemoBanner } from '../demo/demo-banner.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { AccountMenu } from './account-menu.tsx';
import { type Area, areaOf, currentIn } from './areas.ts';
import { NewsMenu } from './news-menu.tsx';
import { Notice } from './notice.tsx';
import styles from './shell.module.css';

/** Version of the project, from its package.json (`vite.config.ts`). */
declare const __VERSION__: string;

/** The frame of every page: a skip link, the menu of its area, the search, the page, and the footer. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(path, main);
  const area = areaOf(path);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <header className={styles.header}>
        <div className={styles.bar}>
          <Brand area={area} />
          {/* Everything that was opened closes on another page. */}
          <Menu key={`menu ${path}`} area={area} path={path} />
          <SearchBox />
          <NewsMenu key={`news ${path}`} />
          <AccountMenu key={`account ${path}`} area={area} />
        </div>
        <More area={area} path={path} />
      </header>
      <main id="main" ref={main} className={styles.main} tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <Notice />
      <DemoBanner />
    </div>
  );
}

function Brand({ area: { name } }: { readonly area: Area }) {
  return (
    <span className={styles.brand}>
      <Link href={pathOf('home')}>
        <img src="/favicon.svg" alt="" width="28" height="28" />
        <span>Tributary</span>
      </Link>
      {name !== undefined && <span className={styles.area}>{name}</span>}
    </span>
  );
}

interface MenuProps {
  readonly area: Area;
  readonly path: string;
}

/** The pages of the area; on a narrow screen behind a button. */
function Menu({ area: { menu, more }, path }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const current = currentIn(menu, path) ?? (more.length > 0 ? pathOf('campaigns') : undefined);
  return (
    <>
      <Button
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls="menu"
        aria-label="Menu"
        onClick={() => setOpen(!isOpen)}
      >
        <svg className={styles.lines} viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 7h16M4 12h16M4 17h16" />
        </svg>
      </Button>
      <nav id="menu" className={styles.nav} data-open={isOpen} aria-label="Main">
        <Links links={menu} current={current} />
      </nav>
    </>
  );
}

/** The second line of the menu. */
function More({ area: { more }, path }: MenuProps) {
  if (more.length === 0) return null;
  return (
    <nav className={styles.second} aria-label="Explore">
      <div className={styles.secondBar}>
        <Links links={more} current={currentIn(more, path)} />
      </div>
    </nav>
  );
}

interface LinksProps {
  readonly links: Area['menu'];
  readonly current: string | undefined;
}

function Links({ links, current }: LinksProps) {
  return links.map(([href, name]) => (
    <Link
      key={href}
      href={href}
      className={styles.section}
      aria-current={href === current ? 'page' : undefined}
    >
      {name}
    </Link>
  ));
}

function Footer() {
  return (
    <footer className={styles.footer}>
      <p>
        Every figure here can be checked without us: against a chain of your choice, or offline.
      </p>
      <nav aria-label="More" className={styles.more}>
        <Link href={pathOf('bundle')}>Check a bundle</Link>
        <Link href={pathOf('status')}>Status</Link>
        <Link href={pathOf('glossary')}>Glossary</Link>
        <a href="/docs">HTTP reference</a>
        <a href="/openapi.json">OpenAPI</a>
        <span>Version {__VERSION__}</span>
      </nav>
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
