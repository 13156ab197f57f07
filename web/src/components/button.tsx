import type { ButtonHTMLAttributes } from 'react';
import styles from './button.module.css';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** The one thing to do here. */
  readonly main?: boolean;
  /** Without a frame, for use in a line of text or a bar. */
  readonly quiet?: boolean;
};

export function Button({ main, quiet, className, type = 'button', ...rest }: Props) {
  const variant = main ? styles.main : quiet ? styles.quiet : undefined;
  const names = [styles.button, variant, className].filter(Boolean).join(' ');
  return <button {...rest} type={type} className={names} />;
}
