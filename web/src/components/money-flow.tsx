import type { ReactNode } from 'react';
import type { Client } from '../../../engine/client/index.ts';
import { selfReferralOf } from '../../../engine/core/self-referral.ts';
import type { DataOf } from '../api.ts';
import { countOf, percentages } from '../format.ts';
import { word } from '../word.ts';
import { AddressLink } from './address-link.tsx';
import { Amount } from './amount.tsx';
import { Avatar } from './avatar.tsx';
import { Badge } from './badge.tsx';
import styles from './money-flow.module.css';

type Receipt = DataOf<Client['receipts']['get']>;
type Level = Receipt['levels'][number];

const states: Readonly<Record<Level['state'], string>> = {
  reserved: 'on hold',
  claimable: word('claimable'),
  claimed: 'paid out',
  refunded: 'released by a refund',
  reversed: word('reversed'),
};

/** Where the money of a sale goes: to the merchant, and from the merchant’s vault to each level. */
export function MoneyFlow({ receipt }: { readonly receipt: Receipt }) {
  const { amount, buyer, merchant, nodeId, split, token, refundedTotal } = receipt;
  return (
    <div className={styles.flow}>
      <Line who={<AddressLink address={buyer} to="buyers" />} what="bought it">
        <Amount value={amount} token={token} />
      </Line>
      {refundedTotal !== '0' && (
        <Line what="refunded to the buyer">
          <Amount value={refundedTotal} token={token} />
        </Line>
      )}
      <Line
        who={<AddressLink address={merchant.slug} to="merchants" name={merchant.name} />}
        what="sold it, and rewards"
      >
        <strong className={styles.earned}>
          <Amount value={split.reserved} token={token} />
        </strong>
      </Line>
      {nodeId === null ? (
        <p className="soft">This was a sale without a link, so no reward is paid.</p>
      ) : (
        <Levels receipt={receipt} />
      )}
    </div>
  );
}

interface LineProps {
  readonly who?: ReactNode;
  readonly what: string;
  readonly children: ReactNode;
}

function Line({ who, what, children }: LineProps) {
  return (
    <p className={styles.line}>
      <span className={styles.who}>
        {who}
        <span className="soft">{what}</span>
      </span>
      {children}
    </p>
  );
}

function Levels({ receipt }: { readonly receipt: Receipt }) {
  const { path, policy, split, token } = receipt;
  const selfReferral = selfReferralOf(receipt);
  const rest = BigInt(split.returned);
  const shares = percentages([...split.shares.map(({ amount }) => BigInt(amount)), rest]);
  return (
    <>
      <ol className={styles.levels}>
        {path.map((node, index) => (
          <LevelItem
            key={node.nodeId}
            receipt={receipt}
            index={index}
            share={shares[index]}
            isBuyers={selfReferral.includes(node.nodeId)}
          />
        ))}
      </ol>
      {rest > 0n && (
        <Line what={`stays in the vault, ${shares.at(-1)}`}>
          <Amount value={rest} token={token} />
        </Line>
      )}
      {selfReferral.length > 0 && (
        <p>
          <strong>Self-referral:</strong> the buyer owns {countOf(selfReferral.length, 'link')} of
          this path, and gets the reward of {selfReferral.length === 1 ? 'it' : 'them'}.
        </p>
      )}
      {path.at(-1)?.parentNodeId !== null && (
        <p className="soft tiny">
          The policy rewards {countOf(policy.maxRewardedAncestors, 'level')}. The links above earn
          nothing from this sale.
        </p>
      )}
    </>
  );
}

interface LevelItemProps {
  readonly receipt: Receipt;
  /** Index in the path; the selling link is 0. */
  readonly index: number;
  /** Its part of the reward, as per cent. */
  readonly share: string | undefined;
  /** True if the buyer owns the link. */
  readonly isBuyers: boolean;
}

function LevelItem({ receipt, index, share, isBuyers }: LevelItemProps) {
  const { path, split, levels, token } = receipt;
  const node = path[index];
  if (node === undefined) return null;
  const reward = split.shares[index];
  const level = levels[index];
  return (
    <li className={styles.level}>
      <Avatar address={node.owner} size="large" />
      <span className={styles.who}>
        <AddressLink address={node.owner} to="distributors" />
        <span className="soft tiny">
          <span>Level {index + 1}</span>
          {index === 0 ? ', whose link sold it' : ''}
          {level && ` · ${states[level.state]}`}
        </span>
        {isBuyers && <Badge tone="warn">the buyer’s own link</Badge>}
      </span>
      {reward && (
        <span className={styles.reward}>
          <strong className={styles.earned}>
            <Amount value={reward.amount} token={token} />
          </strong>
          <span className="soft tiny">{share}</span>
        </span>
      )}
      <span className={styles.bar} aria-hidden="true">
        <span style={{ width: share?.replace('\u00a0', '') }} />
      </span>
    </li>
  );
}
