import { AddressLink } from '../../components/address-link.tsx';
import { Amount } from '../../components/amount.tsx';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { partBps, percent, words } from '../../format.ts';
import type { Receipt } from './arithmetic.ts';
import styles from './receipt.module.css';

/** The path as a tree: who invited whom, down to the buyer, and what each level gets. */
export function PathTree({ receipt }: { readonly receipt: Receipt }) {
  const { path, nodeId } = receipt;
  if (nodeId === null) {
    return (
      <Card title="Who is paid">
        <p>This was a sale without a link, so no reward is paid.</p>
      </Card>
    );
  }
  const top = path.at(-1);
  return (
    <Card title="Who is paid">
      {top && top.parentNodeId !== null && <Beyond receipt={receipt} />}
      <Branch receipt={receipt} index={path.length - 1} />
    </Card>
  );
}

interface BranchProps {
  readonly receipt: Receipt;
  /** Into the path, the selling node being 0; below it is the buyer. */
  readonly index: number;
}

/** A node, and in it whom it invited, down to the buyer. */
function Branch({ receipt, index }: BranchProps) {
  const node = receipt.path[index];
  if (node === undefined) return <Buyer receipt={receipt} />;
  return (
    <ol className={styles.tree}>
      <li className={styles.branch}>
        <Level receipt={receipt} index={index} nodeId={node.nodeId} owner={node.owner} />
        <Branch receipt={receipt} index={index - 1} />
      </li>
    </ol>
  );
}

interface LevelProps extends BranchProps {
  readonly nodeId: string;
  readonly owner: string;
}

function Level({ receipt, index, nodeId, owner }: LevelProps) {
  const { split, levels, token } = receipt;
  const share = split.shares[index];
  const level = levels[index];
  const part = share ? partBps(BigInt(share.amount), BigInt(split.pool)) : 0n;
  return (
    <div className={styles.node}>
      <div className={styles.nodeHead}>
        <span className={styles.nodeName}>
          <strong>Level {index + 1}</strong>
          <AddressLink address={owner} to="distributors" />
          <span className={styles.soft}>
            link {nodeId}
            {index === 0 && ', which sold'}
          </span>
          {level && <Badge tone="plain">{words(level.state)}</Badge>}
        </span>
        {share && (
          <span>
            <Amount value={share.amount} token={token} />{' '}
            <span className={styles.soft}>{percent(part)} of the reward</span>
          </span>
        )}
      </div>
      <div className={styles.bar} aria-hidden="true">
        <div className={styles.barPart} style={{ width: `${Number(part) / 100}%` }} />
      </div>
    </div>
  );
}

function Buyer({ receipt: { buyer, amount, token } }: { readonly receipt: Receipt }) {
  return (
    <ol className={styles.tree}>
      <li className={styles.branch}>
        <div className={styles.node}>
          <div className={styles.nodeHead}>
            <span className={styles.nodeName}>
              <strong>Buyer</strong>
              <AddressLink address={buyer} />
            </span>
            <span>
              <span className={styles.soft}>paid</span> <Amount value={amount} token={token} />
            </span>
          </div>
        </div>
      </li>
    </ol>
  );
}

/** Who invited the highest of the rewarded levels gets nothing of this sale. */
function Beyond({ receipt: { missed, policy } }: { readonly receipt: Receipt }) {
  const next = missed.find(({ reason }) => reason === 'DEPTH');
  return (
    <p className={styles.soft}>
      The policy rewards {policy.maxRewardedAncestors} levels. Further up
      {next && (
        <>
          {' '}
          is link {next.nodeId} of <AddressLink address={next.recipient} to="distributors" />, and
          the links above it; they
        </>
      )}{' '}
      get nothing of this sale.
    </p>
  );
}
