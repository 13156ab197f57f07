import { Fragment } from 'react';
import { Link } from 'wouter';
import styles from './breadcrumbs.module.css';

interface BreadcrumbsProps {
  /** Pages above this one, the outermost first: name and path. */
  readonly above: readonly (readonly [name: string, path: string])[];
  /** Name of this page. */
  readonly here: string;
}

/** The way to a page: "Campaigns › Campaign 7". For `kind` of `PageHead`. */
export function Breadcrumbs({ above, here }: BreadcrumbsProps) {
  return (
    <nav aria-label="Breadcrumbs" className={styles.crumbs}>
      {above.map(([name, path]) => (
        <Fragment key={path}>
          <Link href={path}>{name}</Link>
          <span aria-hidden="true">›</span>
        </Fragment>
      ))}
      <span aria-current="page">{here}</span>
    </nav>
  );
}
