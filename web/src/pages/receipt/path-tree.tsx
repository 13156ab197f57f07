import { selfReferralOf } from '../../../../engine/core/self-referral.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Amount } from '../../components/amount.tsx';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { Explain } from '../../components/explain.tsx';
import { countOf, partBps, percent, words } from '../../format.ts';
import type { Receipt } from './arithmetic.ts';
import styles from './receipt.module.css';

/** Who is paid: level 1, which sold, and the levels above it, each with its share. */
export function PathTree({ receipt }: { readonly receipt: Receipt }) {
  const { path, nodeId, buyer, amount, token } = receipt;
  if (nodeId === null) {
    return (
      <Card title="Who is paid">
        <p>This was a sale without a link, so no reward is paid.</p>
      </Card>
    );
  }
  const selfReferral = selfReferralOf(receipt);
  return (
    <Card title="Who is paid" aside={<Explain term="level" />}>
      {selfReferral.length > 0 && (
        <p>
          <strong>Self-referral:</strong> the buyer owns {countOf(selfReferral.length, 'link')} of
          this path, and gets the reward of {selfReferral.length === 1 ? 'it' : 'them'}.
        </p>
      )}
      <p className={styles.nodeHead}>
        <span className={styles.nodeName}>
          <strong>Buyer</strong>
          <AddressLink address={buyer} />
        </span>
        <span>
          <span className="soft">paid</span> <Amount value={amount} token={token} />
        </span>
      </p>
      <ol className={styles.levels}>
        {path.map((node, index) => (
          <Level
            key={node.nodeId}
            receipt={receipt}
            index={index}
            isBuyers={selfReferral.includes(node.nodeId)}
          />
        ))}
      </ol>
      {path.at(-1)?.parentNodeId !== null && <Beyond receipt={receipt} />}
    </Card>
  );
}

interface LevelProps {
  readonly receipt: Receipt;
  /** Index in the path; the selling link is 0. */
  readonly index: number;
  /** True if the buyer owns the link. */
  readonly isBuyers: boolean;
}

function Level({ receipt, index, isBuyers }: LevelProps) {
  const { path, split, levels, token } = receipt;
  const node = path[index];
  const share = split.shares[index];
  const level = levels[index];
  if (node === undefined) return null;
  const part = share ? partBps(BigInt(share.amount), BigInt(split.pool)) : 0n;
  return (
    <li className={styles.node}>
      <div className={styles.nodeHead}>
        <span className={styles.nodeName}>
          <strong>Level {index + 1}</strong>
          <AddressLink address={node.owner} to="distributors" />
          <span className="soft">
            link {node.nodeId}
            {index === 0 ? ', which sold' : `, above level ${index}`}
          </span>
          {isBuyers && <Badge tone="warn">the buyer’s own link</Badge>}
          {level && <Badge tone="plain">{words(level.state)}</Badge>}
        </span>
        {share && (
          <span>
            <Amount value={share.amount} token={token} />{' '}
            <span className="soft">{percent(part)} of the reward</span>
          </span>
        )}
      </div>
      <div className={styles.bar} aria-hidden="true">
        <div className={styles.barPart} style={{ width: `${Number(part) / 100}%` }} />
      </div>
    </li>
  );
}

/** Says that the links above the rewarded levels earn nothing from this sale. */
function Beyond({ receipt: { missed, policy } }: { readonly receipt: Receipt }) {
  const next = missed.find(({ reason }) => reason === 'DEPTH');
  return (
    <p className="soft">
      The policy rewards {countOf(policy.maxRewardedAncestors, 'level')}.{' '}
      {next === undefined ? (
        'The links above earn nothing from this sale.'
      ) : (
        <>
          Link {next.nodeId} of <AddressLink address={next.recipient} to="distributors" /> and the
          links above it earn nothing from this sale.
        </>
      )}
    </p>
  );
}
