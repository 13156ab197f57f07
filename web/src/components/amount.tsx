import { createContext, useContext } from 'react';
import { exactAmount, groupDigits, shortAmount, type Unit } from '../format.ts';
import { useUnits } from '../units.ts';
import styles from './values.module.css';

/** True where a header names the unit of the amounts below it. */
export const UnitIsNamed = createContext(false);

interface AmountProps {
  /** Base units: bigint, or decimal digits. */
  readonly value: bigint | string;
  readonly token: Unit;
  /** Shows all decimals, whatever the reader chose: for steps of a computation. */
  readonly exact?: boolean;
}

/** An amount of a token as the reader chose. The title has the exact amount in tokens and in base units. */
export function Amount({ value, token, exact = false }: AmountProps) {
  const chosen = useUnits();
  const isNamed = useContext(UnitIsNamed);
  const units = exact && chosen === 'tokens' ? 'exact' : chosen;
  const whole = exactAmount(value, token.decimals);
  const base = groupDigits(String(value));
  const text = { tokens: shortAmount(value, token.decimals), exact: whole, base }[units];
  return (
    <data
      className={styles.amount}
      value={String(value)}
      title={`${whole} ${token.symbol} = ${base} base units`}
    >
      {text}
      {!isNamed && (
        <>
          {' '}
          <UnitName token={token} />
        </>
      )}
    </data>
  );
}

/** The unit of amounts as the reader chose, for a header or after a number. */
export function UnitName({ token }: { readonly token: Unit }) {
  const isBase = useUnits() === 'base';
  return (
    <span className={styles.symbol}>{isBase ? `base units of ${token.symbol}` : token.symbol}</span>
  );
}
