import { groupDigits, humanAmount, type Unit } from '../format.ts';
import styles from './values.module.css';

interface AmountProps {
  /** Base units: bigint, or decimal digits. */
  readonly value: bigint | string;
  readonly token: Unit;
  /** Shows the base units next to it; otherwise they are in its title. */
  readonly exact?: boolean;
}

/** An amount of a token, exact: whole tokens with all their decimals, and the base units. */
export function Amount({ value, token, exact = false }: AmountProps) {
  const units = String(value);
  const baseUnits = `${groupDigits(units)} base units`;
  return (
    <data className={styles.amount} value={units} title={baseUnits}>
      {humanAmount(value, token.decimals)} <span className={styles.symbol}>{token.symbol}</span>
      {exact && <span className={styles.units}>{baseUnits}</span>}
    </data>
  );
}
