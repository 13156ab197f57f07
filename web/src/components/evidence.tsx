import type { ReactNode } from 'react';
import { exactMoney, type Unit, utcTime, words } from '../format.ts';
import { word } from '../word.ts';
import styles from './checks.module.css';
import { Hash } from './hash.tsx';

interface EvidenceProps {
  readonly evidence: object;
  /** Token of the amounts; without it they are shown in base units. */
  readonly token: Unit | undefined;
}

/** Evidence of a check in readable units, with the raw JSON behind it. */
export function Evidence({ evidence, token }: EvidenceProps) {
  return (
    <>
      <Members value={evidence} token={token} />
      <details>
        <summary>Raw JSON</summary>
        {/* It scrolls, so the keyboard must reach it. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
        <pre className={styles.raw} tabIndex={0}>
          {JSON.stringify(evidence, null, 2)}
        </pre>
      </details>
    </>
  );
}

interface MembersProps {
  readonly value: object;
  readonly token: Unit | undefined;
}

function Members({ value, token }: MembersProps) {
  return (
    <dl className={styles.evidence}>
      {Object.entries(value).map(([name, member]) => (
        <div key={name}>
          <dt>{Array.isArray(value) ? `${Number(name) + 1}.` : words(name)}</dt>
          <dd>{shown(name, member, token)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Fields of evidence that are amounts in base units. */
const AMOUNTS =
  /^(?:amount|gross|pool|reserved|returned|refundedTotal|liabilityBefore|availableBefore|perSaleCap|campaignLiabilityCap)$/;
const NO_CAP = (2n ** 256n - 1n).toString();

function shown(name: string, value: unknown, token: Unit | undefined): ReactNode {
  if (value === null || value === '') return word('none');
  if (Array.isArray(value) && value.every(isScalar)) {
    const inside = name === 'shares' ? 'amount' : name;
    return value.length === 0
      ? word('none')
      : value.map((one) => text(inside, one, token)).join(', ');
  }
  if (typeof value === 'object') return <Members value={value} token={token} />;
  if (typeof value === 'string' && /^0x[0-9a-f]{40,}$/i.test(value)) {
    return <Hash value={value} label={words(name)} />;
  }
  return text(name, value, token);
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function text(name: string, value: unknown, token: Unit | undefined): string {
  const plain = String(value);
  if (plain === NO_CAP) return 'no cap';
  if (/^\d{4}-\d\d-\d\dT.*Z$/.test(plain)) return utcTime(plain);
  if (!AMOUNTS.test(name) || !/^\d+$/.test(plain)) return plain;
  return token === undefined ? `${plain} base units` : exactMoney(plain, token);
}
