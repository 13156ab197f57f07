import styles from './menus.module.css';

/** Picture of the notifications. */
export function NewsIcon() {
  return (
    <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true">
      <path d="M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21h4" />
    </svg>
  );
}
