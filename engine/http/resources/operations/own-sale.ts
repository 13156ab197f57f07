import { keccak256, stringToHex, zeroHash } from 'viem';
import type { Address, Hex } from '../../../core/events.ts';
import {
  accountsToChange,
  type SaleToChange,
  salesToChange,
} from '../../../db/read/operations/sale-state.ts';
import { getSale } from '../../../db/read/sales/receipt.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { requireOwnCampaign } from '../campaigns/find-campaign.ts';
import { secondsOf } from '../publish/issues.ts';
import type { SignedApproval } from '../transactions/refund.ts';
import { type OwnState, ownStateIn } from './own-state.ts';

/** A sale of the caller's campaign, and all that folding its next event needs. */
export interface OwnSaleState extends OwnState {
  readonly sale: SaleToChange;
  /** Who signed for it; `null` for a sale that was paid to the contract. */
  readonly attester: Address | null;
}

/**
 * Reads a sale of one of the caller's campaigns.
 * @throws {HttpError} NOT_FOUND if there is none at the settled block, FORBIDDEN if it is another merchant's.
 */
export async function readOwnSale(
  deps: AppDeps,
  saleId: string,
  merchant: Address,
): Promise<OwnSaleState> {
  return await readLedger(deps.pool, async (snapshot) => {
    const found = await getSale(snapshot, saleId);
    if (found === undefined) throw notFound(`There is no sale ${saleId}.`);
    const campaign = await requireOwnCampaign(snapshot, found.campaignId, merchant);
    const [sale] = await salesToChange(snapshot, campaign, [found.saleId]);
    if (sale === undefined) throw notFound(`There is no sale ${saleId}.`);
    const recipients = sale.levels.map(({ recipient }) => recipient);
    const accounts = await accountsToChange(snapshot, campaign, recipients);
    const own = await ownStateIn(deps, snapshot, campaign, { sales: [sale], accounts });
    return { ...own, sale, attester: found.attestation?.signer ?? null };
  });
}

/** Reference to a sale in calls and signatures. */
export function saleRefOf({ campaign, sale }: Pick<OwnSaleState, 'campaign' | 'sale'>) {
  const { campaignId, termsHash } = campaign;
  return { campaignId, termsHash, buyer: sale.buyer, orderKey: sale.orderKey };
}

/** Hash of a merchant's reason: keccak-256 of its UTF-8, or zeros without one. */
export function reasonHashOf(reason: string | undefined): Hex {
  return reason === undefined ? zeroHash : keccak256(stringToHex(reason));
}

/** An attester's signature as a request gives it, for the contract. */
export function signedApproval(
  given: { readonly signature: Hex; readonly deadline: string } | undefined,
): SignedApproval | undefined {
  return given && { signature: given.signature, deadline: BigInt(secondsOf(given.deadline)) };
}
