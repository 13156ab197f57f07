import { Amount } from '../../components/amount.tsx';
import { Card } from '../../components/card.tsx';
import { Panel } from '../../components/panel.tsx';
import { count, groupDigits, percent } from '../../format.ts';
import { type Arithmetic, type Receipt, recompute } from './arithmetic.ts';
import { CapLine } from './cap-line.tsx';
import { MissedList } from './missed-list.tsx';
import styles from './receipt.module.css';
import { Step } from './step.tsx';

/** The arithmetic of the reward, line by line, computed in this browser by the contract's rule. */
export function WhyThisAmount({ receipt }: { readonly receipt: Receipt }) {
  const arithmetic = attempt(receipt);
  return (
    <Card title="Why this amount">
      {arithmetic instanceof Error ? (
        <Panel tone="bad" role="alert" title="The split cannot be computed">
          <p>
            The receipt has a value that is not a number: <code>{arithmetic.message}</code>
          </p>
        </Panel>
      ) : (
        <div className="stack">
          <Differences arithmetic={arithmetic} />
          <Steps receipt={receipt} arithmetic={arithmetic} />
          <MissedList receipt={receipt} />
        </div>
      )}
    </Card>
  );
}

function attempt(receipt: Receipt): Arithmetic | Error {
  try {
    return recompute(receipt);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function Differences({ arithmetic: { differences } }: { readonly arithmetic: Arithmetic }) {
  if (differences.length === 0) {
    return (
      <p className="soft">
        Your browser computed these amounts from the sale, its policy, its path and the campaign’s
        ledger before the sale. The service says the same.
      </p>
    );
  }
  return (
    <Panel tone="bad" role="alert" title="The service says otherwise">
      <p>Computed by the contract’s rule from this receipt, these amounts differ:</p>
      <ul>
        {differences.map(({ name, computed, served }) => (
          <li key={name}>
            {name}: computed <code>{computed}</code>, served <code>{served}</code>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface StepsProps {
  readonly receipt: Receipt;
  readonly arithmetic: Arithmetic;
}

function Steps({ receipt, arithmetic }: StepsProps) {
  const { token, policy } = receipt;
  const { input, split, caps, whole, remainder } = arithmetic;
  const units = (value: bigint) => groupDigits(value.toString());
  const direct = split.shares.length === 0;
  return (
    <ol className={styles.steps}>
      <Step
        name={`${percent(policy.commissionBps)} of the price`}
        formula={`⌊${units(input.amount)} × ${units(BigInt(policy.commissionBps))} ÷ 10 000⌋`}
        result={<Amount value={split.gross} token={token} exact />}
      />
      {caps.map((cap) => (
        <CapLine key={cap.reason} cap={cap} arithmetic={arithmetic} token={token} />
      ))}
      <Step
        name={direct ? 'No link, so no reward' : 'The reward after the caps'}
        formula=""
        result={<Amount value={split.pool} token={token} exact />}
      />
      {split.shares.map(({ level, amount }) => (
        <Step
          key={level}
          name={`Level ${level}, weight ${percent(policy.weightsBps[level - 1] ?? 0)}`}
          formula={shareFormula(units(split.pool), policy.weightsBps[level - 1], whole)}
          note={
            level === 1 && remainder > 0n
              ? `plus ${units(remainder)} base ${remainder === 1n ? 'unit' : 'units'} left by rounding`
              : undefined
          }
          result={<Amount value={amount} token={token} exact />}
        />
      ))}
      {!direct && (
        <Step
          name={
            policy.shortPathMode === 'RETURN_UNUSED'
              ? 'Stays in the vault: rounding, and the weights of missing levels'
              : 'Stays in the vault: nothing, because the existing levels share the full reward'
          }
          formula={`${units(split.pool)} − ${units(split.reserved)}`}
          result={<Amount value={split.returned} token={token} exact />}
        />
      )}
    </ol>
  );
}

function shareFormula(pool: string, weight: number | undefined, whole: bigint): string {
  return `⌊${pool} × ${count(weight ?? 0)} ÷ ${groupDigits(whole.toString())}⌋`;
}
