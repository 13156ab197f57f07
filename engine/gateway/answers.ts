import { z } from 'zod';
import { ErrorBody, type Issue, ResponseMeta } from '../contract/envelope.ts';
import type { Identity } from './identity.ts';
import type { MissingCode } from './shapes.ts';

/** Success of a deployment: its data, and the block that it read as of. */
export interface Answer<T> {
  readonly data: T;
  readonly meta: ResponseMeta;
}

/** Reason why a deployment has no part in a response. It names no address of the deployment's network. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(
    readonly code: MissingCode,
    message: string,
    readonly issues: readonly Issue[] = [],
  ) {
    super(message);
  }
}

/**
 * Reads the response of a deployment to a method.
 * @param output schema of the method's `data`. Fields that it does not know are dropped, because a newer version
 *   of the deployment may send more.
 * @throws {NoAnswer} if it is an error, has another form, or is about another chain or contract.
 */
export function readAnswer<S extends z.ZodType>(
  { status, body }: { readonly status: number; readonly body: string },
  output: S,
  identity: Identity,
): Answer<z.infer<S>> {
  const json = parseJson(body);
  if (status !== 200) throw errorOf(status, json);
  const envelope = parseKnown(Envelope, json);
  const data = envelope && parseKnown(output, envelope.data);
  if (envelope === undefined || data === undefined) {
    throw new NoAnswer(
      'BAD_RESPONSE',
      'The deployment answered in another form than this method has.',
    );
  }
  const { meta } = envelope;
  if (namesAnother({ data, meta }, identity)) {
    throw new NoAnswer(
      'WRONG_DEPLOYMENT',
      'The deployment answered for another chain or contract.',
    );
  }
  return { data, meta };
}

const Envelope = z.object({ data: z.unknown(), meta: ResponseMeta });

function errorOf(status: number, json: unknown): NoAnswer {
  const failure = ErrorBody.safeParse(json);
  if (!failure.success) {
    return new NoAnswer(
      'BAD_RESPONSE',
      `The deployment answered ${status} without an error of this interface.`,
    );
  }
  const { code, message, issues } = failure.data.error;
  return new NoAnswer(code, message.slice(0, MAX_MESSAGE_CHARACTERS), issues);
}

const MAX_MESSAGE_CHARACTERS = 500;

/** Parses a value after dropping the fields that a schema does not know; `undefined` if it does not fit. */
function parseKnown<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> | undefined {
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  const unknown = first.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  if (unknown.length < first.error.issues.length) return undefined;
  // `value` is our own copy: it was just parsed from JSON.
  for (const { path, keys } of unknown) {
    const holder = path.reduce<unknown>((at, name) => fieldOf(at, name), value);
    if (typeof holder !== 'object' || holder === null) return undefined;
    for (const key of keys) Reflect.deleteProperty(holder, key);
  }
  const second = schema.safeParse(value);
  return second.success ? second.data : undefined;
}

/** True if any object in the value names another chain or contract than the deployment's. */
function namesAnother(value: unknown, identity: Identity): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { chainId, contractAddress } = identity;
  return Object.entries(value).some(([name, field]) => {
    if (name === 'chainId') return field !== chainId;
    if (name === 'contractAddress') return String(field).toLowerCase() !== contractAddress;
    return namesAnother(field, identity);
  });
}

function fieldOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
