import { zeroAddress } from 'viem';
import type { Address } from '../../../core/events.ts';
import { changesOf } from '../../../core/preview.ts';
import { allowedAmong, type Role } from '../../../db/read/operations/permissions.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { unprocessable } from '../../errors.ts';
import { requireOwnCampaign } from '../campaigns/find-campaign.ts';
import type { PlannedCall } from '../transactions/planned-call.ts';
import { commerceCall } from '../transactions/unsigned.ts';
import { type OwnState, ownStateIn } from './own-state.ts';
import type { OperationPlan, OperationWarning } from './prepare.ts';

/** Permissions to give or to withdraw. */
export interface Permissions {
  readonly role: Role;
  /** Lower case, each once. */
  readonly accounts: readonly Address[];
  readonly allowed: boolean;
}

/** A campaign of the caller, and which of the accounts have the permission already. */
export async function readPermissions(
  deps: AppDeps,
  { campaignId, merchant }: { readonly campaignId: string; readonly merchant: Address },
  { role, accounts }: Pick<Permissions, 'role' | 'accounts'>,
): Promise<{ readonly own: OwnState; readonly known: ReadonlySet<Address> }> {
  return await readLedger(deps.pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, campaignId, merchant);
    const [own, known] = await Promise.all([
      ownStateIn(deps, snapshot, campaign),
      allowedAmong(snapshot, campaign, role, accounts),
    ]);
    return { own, known };
  });
}

/** @throws {HttpError} UNPROCESSABLE naming the field if the account is the zero address. */
export function refuseZero(path: string, account: Address): void {
  if (account !== zeroAddress) return;
  throw unprocessable('The zero address is not an account.', [
    { path, message: 'must not be zero' },
  ]);
}

const wordings = {
  distributor: { functionName: 'allowDistributor', verb: 'join' },
  attester: { functionName: 'allowAttester', verb: 'attest sales of' },
} as const;

/** Plan that gives or withdraws a permission: a transaction for each account whose permission changes. */
export function permissionPlan(
  { deployment }: Pick<AppDeps, 'deployment'>,
  { campaign: { campaignId } }: OwnState,
  { role, accounts, allowed }: Permissions,
  known: ReadonlySet<Address>,
  warnings: readonly OperationWarning[],
): OperationPlan {
  const changing = accounts.filter((account) => known.has(account) !== allowed);
  if (changing.length === 0) return { status: 'in_effect', warnings };
  const { functionName, verb } = wordings[role];
  const callOf = (account: Address): PlannedCall =>
    commerceCall(deployment, {
      functionName,
      args: [BigInt(campaignId), account, allowed],
      description: `${allowed ? 'Lets' : 'No longer lets'} ${account} ${verb} campaign ${campaignId}.`,
    });
  return {
    status: 'ready',
    steps: changing.map((account) => ['ALLOW', callOf(account)] as const),
    preview: changing.flatMap((id) =>
      changesOf({ subject: role, id }, { allowed: String(!allowed) }, { allowed: String(allowed) }),
    ),
    warnings,
  };
}
