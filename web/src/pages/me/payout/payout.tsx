import { useQueryClient } from '@tanstack/react-query';
import { sum } from '../../../../../engine/core/amounts.ts';
import { MINE } from '../../../account/session.ts';
import { SignTransactions } from '../../../account/sign-transactions.tsx';
import { Button } from '../../../components/button.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Panel } from '../../../components/panel.tsx';
import { count, groupDigits } from '../../../format.ts';
import { PaidPanel } from './paid-panel.tsx';
import type { PayoutPlan } from './prepare.ts';

interface PayoutProps {
  readonly plan: PayoutPlan;
  readonly address: string;
  /** Makes a plan for what is left. */
  readonly onNext: () => void;
  readonly onClose: () => void;
}

/** A payout: what it pays by campaign, what it costs, its transactions, and then what was paid. */
export function Payout({ plan, address, onNext, onClose }: PayoutProps) {
  const queries = useQueryClient();
  const { campaigns, leftOut, reasons, transactions, more, saleIds } = plan;
  return (
    <div className="stack">
      <DataTable
        caption="What you are paid, by campaign"
        rows={campaigns}
        rowKey={({ campaignId }) => campaignId}
        columns={[
          column.campaign,
          column.amount('Claimable', 'claimable'),
          column.amount('From sales to finalize', 'readyToFinalize'),
        ]}
      />
      {reasons.length > 0 && (
        <Panel tone="warn" title="The contract would refuse this payout" role="status">
          {reasons.map(({ error, message }) => (
            <p key={error}>{message}</p>
          ))}
          <p>Claim the campaigns one by one, under Earnings.</p>
        </Panel>
      )}
      {leftOut.length > 0 && (
        <Panel tone="warn" title="Left out of this payout" role="status">
          {leftOut.map(({ campaignId, message }) => (
            <p key={campaignId}>
              Campaign {campaignId}: {message} What it owes you stays claimable.
            </p>
          ))}
        </Panel>
      )}
      {transactions.length > 0 && (
        <>
          <p>
            {transactions.length === 1
              ? 'You sign one transaction.'
              : `You sign ${transactions.length} transactions.`}{' '}
            {saleIds.length > 0 &&
              (saleIds.length === 1
                ? 'First the sale whose hold is over is finalized; then everything is paid to you. '
                : `First ${count(saleIds.length)} sales whose hold is over are finalized; then everything is paid to you. `)}
            {gasOf(plan)}
            {more && ' More is left for another payout after this one.'}
          </p>
          <SignTransactions
            transactions={transactions.map(({ transaction }) => transaction)}
            address={address}
            name="Sign and send"
            onSettled={() => queries.invalidateQueries({ queryKey: [MINE] })}
            done={<PaidPanel after={plan.block} {...(more ? { onNext } : {})} />}
          />
        </>
      )}
      <div>
        <Button quiet onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  );
}

/** Sentence on the fee of all transactions, as far as it is known before the first is sent. */
function gasOf({ transactions }: PayoutPlan): string {
  const known = transactions.flatMap(({ transaction: { simulation } }) =>
    simulation.gas === null ? [] : [BigInt(simulation.gas)],
  );
  if (known.length === 0) return 'Your wallet shows the fee.';
  const gas = `${groupDigits(sum(known).toString())} units of gas`;
  return known.length === transactions.length
    ? `Together they need about ${gas}; your wallet shows the fee.`
    : `The first needs about ${gas}; your wallet shows the fee of each.`;
}
