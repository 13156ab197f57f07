import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { campaignName } from '../../campaign-name.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { Facts } from '../../components/facts.tsx';
import { Hash } from '../../components/hash.tsx';
import { groupDigits } from '../../format.ts';
import type { Receipt } from './arithmetic.ts';
import { AttachedCodes } from './attached-codes.tsx';
import { TermsOfSale } from './terms.tsx';

/** Where the sale is on the chain, what it belongs to, and its policy. */
export function Details({ receipt }: { readonly receipt: Receipt }) {
  return (
    <Cards>
      <ThisSale receipt={receipt} />
      <TermsOfSale receipt={receipt} />
    </Cards>
  );
}

function ThisSale({ receipt }: { readonly receipt: Receipt }) {
  const { campaignId, nodeId, tx, attestation } = receipt;
  const link = `${pathOf('campaign', { campaignId })}?tab=graph&node=${nodeId}`;
  return (
    <Card title="This sale">
      <Facts
        facts={[
          [
            'Campaign',
            <Link key="campaign" href={pathOf('campaign', { campaignId })}>
              {campaignName(receipt)}
            </Link>,
          ],
          ['Product version', receipt.productVersion],
          [
            'Sold through',
            nodeId === null ? (
              'no link'
            ) : (
              <Link key="link" href={link}>
                link {nodeId}
              </Link>
            ),
          ],
          ['Signed by', attestation && <AddressLink key="by" address={attestation.signer} />],
          ['Attached codes', <AttachedCodes key="codes" {...receipt} />],
          ['Chain', receipt.chainId],
          [
            'Block',
            <Link key="block" href={pathOf('block', { number: tx.blockNumber })}>
              {groupDigits(tx.blockNumber)}
            </Link>,
          ],
          [
            'Transaction',
            <Hash
              key="tx"
              value={tx.hash}
              label="transaction hash"
              to={pathOf('transaction', tx)}
              href={tx.explorerUrl}
            />,
          ],
        ]}
      />
    </Card>
  );
}
