import { formatUnits } from 'viem';
import type { Address } from '../../core/events.ts';
import type { MailKind } from '../../core/notification.ts';
import type { MailItem } from '../../db/commerce/mail-dispatch.ts';

/** Parts of a mail that depend on what it says. */
export interface MailText {
  readonly subject: string;
  readonly lines: readonly string[];
}

/** Where the links of a mail lead to. */
export interface MailLinks {
  readonly chainId: number;
  /** URL of the service without a slash at the end. */
  readonly publicUrl: string;
  /** URL that stops all mails to the address. */
  readonly unsubscribe: string;
}

/** Sentence of each kind. Nothing that a user of the service or a contract chose is in a mail, except symbols of tokens. */
const sentences: Readonly<Record<MailKind, string>> = {
  rewards_claimable: 'A reward became claimable',
  rewards_refunded: 'A reward was reduced, because its sale was refunded',
  rewards_reversed: 'A reward was reversed',
  policy_scheduled: 'A new reward policy was scheduled for a campaign that you joined',
  campaign_paused: 'A campaign that you joined was paused',
  campaign_resumed: 'A campaign that you joined was resumed',
  campaign_ended: 'A campaign that you joined was ended',
  invitation_received: 'You were invited to a campaign',
  invitation_answered: 'An invitation that you sent was answered',
  refund_requested: 'A buyer asked for a refund',
  refund_answered: 'Your request for a refund was answered',
  refund_paid: 'The refund that you asked for was paid',
  report_ready: 'A report is ready',
};

/** Mail that asks to confirm an address. @param confirm URL at which it is confirmed. */
export function confirmationText(
  account: Address,
  confirm: string,
  { publicUrl, unsubscribe }: MailLinks,
): MailText {
  return {
    subject: 'Confirm your e-mail address',
    lines: [
      `The account ${account} asked for notifications of ${publicUrl} to this address.`,
      '',
      'If that was you, confirm the address within 24 hours:',
      confirm,
      '',
      'If it was not you, ignore this mail, or stop further ones:',
      unsubscribe,
    ],
  };
}

/**
 * Mail that says what happened to an account.
 * @param items what is spelled out, oldest first, at least one.
 * @param count number of notifications in all.
 */
export function notificationText(
  account: Address,
  { items, count }: { readonly items: readonly MailItem[]; readonly count: number },
  links: MailLinks,
): MailText {
  const { publicUrl, unsubscribe } = links;
  const [only] = items;
  const more = count - items.length;
  return {
    subject: count === 1 && only ? sentences[only.kind] : `${count} notifications`,
    lines: [
      ...items.flatMap((item) => [...itemLines(item, links), '']),
      ...(more > 0 ? [`and ${more} more: ${publicUrl}/v1/me/notifications`, ''] : []),
      `You get this mail because this address was confirmed for the account ${account}.`,
      'What is sent is set by notifications.setPreferences:',
      `PATCH ${publicUrl}/v1/me/notifications/preferences`,
      'Stop all mails of this account:',
      unsubscribe,
    ],
  };
}

function itemLines(item: MailItem, links: MailLinks): string[] {
  const { kind, campaignId, saleId, subjectId, blockNumber } = item;
  const amount = amountText(item);
  const about = [
    campaignId === null ? '' : `campaign ${campaignId}`,
    saleId === null ? '' : `sale ${saleId}`,
    blockNumber === null ? '' : `block ${blockNumber}`,
    subjectId === null ? '' : `id ${subjectId}`,
  ].filter((part) => part !== '');
  return [
    `- ${sentences[kind]}${amount === null ? '' : `: ${amount}`}`,
    ...(about.length > 0 ? [`  ${about.join(', ')}`] : []),
    `  ${pageOf(item, links)}`,
  ];
}

/** Page of the explorer that an item is about. */
function pageOf({ campaignId, saleId }: MailItem, { publicUrl, chainId }: MailLinks): string {
  if (saleId !== null) return `${publicUrl}/receipts/${chainId}/${saleId}`;
  return campaignId === null ? `${publicUrl}/me` : `${publicUrl}/campaigns/${campaignId}`;
}

/** Symbols that are written as they are. Anyone can make a token, and call it whatever a reader would believe. */
const PLAIN_SYMBOL = /^[A-Za-z0-9]{1,12}$/;

/** Exact amount in whole tokens, such as `1.25 TUSD`. */
function amountText({ amount, token }: MailItem): string | null {
  if (amount === null || token === null) return null;
  const unit = PLAIN_SYMBOL.test(token.symbol) ? token.symbol : `of token ${token.address}`;
  return `${formatUnits(BigInt(amount), token.decimals)} ${unit}`;
}
