import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';

interface ButtonLinkProps {
  readonly href: string;
  /** The one thing to do here. */
  readonly main?: boolean;
  readonly children: ReactNode;
}

/** A link to another page that looks like the button that it is for its reader. */
export function ButtonLink({ href, main, children }: ButtonLinkProps) {
  return (
    <Link href={href} className={`${styles.button} ${styles.link} ${main ? styles.main : ''}`}>
      {children}
    </Link>
  );
}
