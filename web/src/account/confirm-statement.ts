import type { MethodName } from '../../../engine/contract/types.ts';

/** Input of a method. */
type Input = Readonly<Record<string, unknown>>;

/** Characters of a statement at most: wallets show a few lines. */
const MAX_CHARACTERS = 240;
/** Rights and events that a statement lists by name; the others are counted. */
const MAX_NAMED = 6;

/** Sentence that a wallet shows for each method that asks for a new signature: what is done, and to what. */
const statements: Partial<Readonly<Record<MethodName, (input: Input) => string>>> = {
  'account.delete': () => 'Delete everything that this service stores about your account',
  'apiKeys.create': ({ name, scopes }) => {
    const rights = listOf(scopes);
    return `Create the API key '${text(name)}' with ${count(rights, 'right')}: ${some(rights)}`;
  },
  'apiKeys.rotate': ({ id }) => `Replace the API key ${text(id)} by a new one with the same rights`,
  'merchants.close': ({ slug }) => `Close the merchant profile ${text(slug)}`,
  'notifications.setPreferences': ({ email }) =>
    typeof email === 'string'
      ? `Send notifications by e-mail to ${email}`
      : 'Change which notifications are sent by e-mail',
  'operations.end': ({ campaignId }) =>
    `Prepare the end of campaign ${text(campaignId)}, which cannot be undone`,
  'reports.export': ({ kind }) => `Export the report ${text(kind)}, which names buyers`,
  'reputation.updateVisibility': ({ visibility, handle }) =>
    `Make your profile ${text(visibility)}${typeof handle === 'string' ? ` under the name ${handle}` : ''}`,
  'team.invite': ({ address, role }) => `Invite ${text(address)} to the team as ${text(role)}`,
  'team.updateRole': ({ id, role }) => `Give the team member ${text(id)} the role ${text(role)}`,
  'team.transferOwnership': ({ address }) => `Make ${text(address)} the owner of the team`,
  'webhooks.create': ({ url, events }) => `Send to ${text(url)} ${eventsIn(events)}`,
  'webhooks.update': ({ id, enabled, events }) => {
    if (events !== undefined) return `Send to the webhook ${text(id)} ${eventsIn(events)}`;
    if (enabled === undefined) return `Change the webhook ${text(id)}`;
    return `Turn the webhook ${text(id)} ${enabled === true ? 'on' : 'off'}`;
  },
  'webhooks.rotateSecret': ({ id }) => `Make a new secret for the webhook ${text(id)}`,
};

/** Sentence that a wallet shows when it signs in. */
export const SIGN_IN_STATEMENT = 'Sign in to Tributary. This costs nothing and moves nothing.';

/**
 * Sentence that a wallet shows for a call that needs a new signature. It has only characters that EIP-4361 allows, so
 * that every wallet shows it.
 */
export function confirmStatement(method: string, input: Input): string {
  const known: Readonly<Record<string, ((input: Input) => string) | undefined>> = statements;
  const action = known[method]?.(input) ?? `Do ${method}`;
  return `${shortened(allowed(action))}. This costs nothing and moves nothing.`;
}

function shortened(sentence: string): string {
  if (sentence.length <= MAX_CHARACTERS) return sentence;
  return `${sentence.slice(0, MAX_CHARACTERS - 3).trimEnd()}...`;
}

/** Leaves out what EIP-4361 does not allow in a statement; letters with accents lose them. */
function allowed(sentence: string): string {
  return sentence
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9 \-._~:/?#[\]@!$&'()*+,;=]/g, '')
    .replace(/ +/g, ' ')
    .trim();
}

function eventsIn(value: unknown): string {
  const names = listOf(value);
  if (names.some((name) => name.startsWith('*'))) return 'all events';
  return `${count(names, 'kind of event', 'kinds of events')}: ${some(names)}`;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(text) : [];
}

function count(list: readonly string[], one: string, many = `${one}s`): string {
  return `${list.length} ${list.length === 1 ? one : many}`;
}

function some(list: readonly string[]): string {
  const rest = list.length - MAX_NAMED;
  const named = list.slice(0, MAX_NAMED).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : String(value ?? '');
}
