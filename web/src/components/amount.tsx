import { groupDigits, humanAmount, shownAmount, type Unit } from '../format.ts';
import { useUnits } from '../units.ts';
import styles from './values.module.css';

interface AmountProps {
  /** Base units: bigint, or decimal digits. */
  readonly value: bigint | string;
  readonly token: Unit;
  /** Shows all decimals; otherwise those after the sixth are in its title. */
  readonly exact?: boolean;
}

/**
 * An amount of a token in the unit that the reader chose. The title has the exact amount in both. In the numeric
 * columns of tables the decimal points are aligned.
 */
export function Amount({ value, token, exact = false }: AmountProps) {
  const units = useUnits();
  const whole = humanAmount(value, token.decimals);
  const base = groupDigits(String(value));
  const { text, padding } =
    units === 'base'
      ? { text: base, padding: '' }
      : exact
        ? { text: whole, padding: '' }
        : shownAmount(value, token.decimals);
  return (
    <data
      className={styles.amount}
      value={String(value)}
      title={`${whole} ${token.symbol} = ${base} base units`}
    >
      <span data-padding={padding}>{text}</span>{' '}
      <span className={styles.symbol}>
        {units === 'base' ? `base units of ${token.symbol}` : token.symbol}
      </span>
    </data>
  );
}
