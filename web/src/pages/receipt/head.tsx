import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import type { Meta } from '../../api.ts';
import { campaignName } from '../../campaign-name.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Amount } from '../../components/amount.tsx';
import { Facts } from '../../components/facts.tsx';
import { AsOf } from '../../components/finality.tsx';
import { Hash } from '../../components/hash.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { SaleNeighbours } from '../../components/sale-neighbours.tsx';
import { SaleState } from '../../components/sale-state.tsx';
import { Time } from '../../components/time.tsx';
import { groupDigits } from '../../format.ts';
import type { useLive } from '../../live.ts';
import { Share } from '../../share/share.tsx';
import type { Receipt } from './arithmetic.ts';
import { AttachedCodes } from './attached-codes.tsx';
import styles from './receipt.module.css';
import { SoldPicture } from './sold-picture.tsx';

interface SaleHeadProps {
  readonly receipt: Receipt;
  readonly meta: Meta;
  readonly connection: ReturnType<typeof useLive>;
}

/** Who bought what from whom, through whose link, and the state of the sale. */
export function SaleHead({ receipt, meta, connection }: SaleHeadProps) {
  const { saleId, chainId, campaignId, product, merchant, buyer, nodeId, token } = receipt;
  return (
    <>
      <PageHead title={product.title} kind={<SaleNeighbours chainId={chainId} saleId={saleId} />}>
        <p>{`Receipt of sale ${saleId} on chain ${chainId}`}</p>
        <div className={styles.badges}>
          <SaleState value={receipt.state} />
          <LiveBadge state={connection} />
          <AsOf meta={meta} newestEvent={receipt.transitions.at(-1)?.blockNumber} />
          <Share
            path={pathOf('receipt', { chainId, saleId })}
            title={`Receipt: ${product.title}`}
          />
        </div>
        <p>
          <a href="#verify">Verify this receipt</a> or read on: who is paid, and why.
        </p>
      </PageHead>
      <div className={styles.summary}>
        <SoldPicture receipt={receipt} />
        <p className={styles.price}>
          <Amount value={receipt.amount} token={token} exact />
        </p>
        <Facts
          facts={[
            ['Buyer', <AddressLink key="buyer" address={buyer} to="buyers" />],
            [
              'Merchant',
              <AddressLink
                key="merchant"
                address={merchant.address}
                to="merchants"
                name={merchant.name}
              />,
            ],
            [
              'Campaign',
              <Link key="campaign" href={pathOf('campaign', { campaignId })}>
                {campaignName(receipt)}
              </Link>,
            ],
            ['Variant', receipt.variant?.name],
            ['Product version', receipt.productVersion],
            ['Sold through', nodeId === null ? 'no link' : `link ${nodeId}`],
            ['Attached codes', <AttachedCodes key="codes" {...receipt} />],
            ['Total reward', <Amount key="pool" value={receipt.split.pool} token={token} />],
            ['Recorded', <Time key="at" at={receipt.recordedAt} />],
            [
              'Block',
              <Link key="block" href={pathOf('block', { number: receipt.tx.blockNumber })}>
                {groupDigits(receipt.tx.blockNumber)}
              </Link>,
            ],
            [
              'Transaction',
              <Hash
                key="tx"
                value={receipt.tx.hash}
                label="transaction hash"
                to={pathOf('transaction', receipt.tx)}
                href={receipt.tx.explorerUrl}
              />,
            ],
            ['Confirmed by', trustOf(receipt)],
          ]}
        />
      </div>
    </>
  );
}

function trustOf({ trustMode, attestation }: Receipt) {
  if (trustMode === 'NATIVE_ONCHAIN') return 'the contract (paid on chain)';
  const who = trustMode === 'MERCHANT_ATTESTED' ? 'the merchant, who signed' : 'an attester';
  return (
    <>
      {who} {attestation && <AddressLink address={attestation.signer} />}
    </>
  );
}
