import { Amount } from '../../components/amount.tsx';
import { groupDigits, type Unit } from '../../format.ts';
import type { Arithmetic } from './arithmetic.ts';
import styles from './receipt.module.css';
import { Step } from './step.tsx';

type CapStep = Arithmetic['caps'][number];

const NO_CAP = 2n ** 256n - 1n;

const names = {
  SALE_CAP: 'Cap of a single sale',
  LIABILITY_CAP: 'Cap of all rewards of the campaign',
  BUDGET: 'Available in the vault',
} as const;

interface CapLineProps {
  readonly cap: CapStep;
  readonly arithmetic: Arithmetic;
  readonly token: Unit;
}

/** The pool that one cap left, and whether it applied. */
export function CapLine({ cap, arithmetic, token }: CapLineProps) {
  const { reason, before, after } = cap;
  const lost = before - after;
  return (
    <Step
      name={names[reason]}
      formula={formulaOf(cap, arithmetic)}
      note={
        lost > 0n ? (
          <span className={styles.bound}>
            Applied: −<Amount value={lost} token={token} />
          </span>
        ) : (
          'Not reached'
        )
      }
      result={<Amount value={after} token={token} exact />}
    />
  );
}

function formulaOf({ reason, cap, before }: CapStep, { input }: Arithmetic): string {
  const units = (value: bigint) => groupDigits(value.toString());
  const { campaignLiabilityCap } = input.policy;
  if (reason === 'LIABILITY_CAP') {
    if (campaignLiabilityCap === NO_CAP) return 'no cap';
    return `min(${units(before)}, ${units(campaignLiabilityCap)} − ${units(input.liability)} owed or paid before)`;
  }
  return cap === NO_CAP ? 'no cap' : `min(${units(before)}, ${units(cap)})`;
}
