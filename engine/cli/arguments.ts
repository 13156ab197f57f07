import { InvalidArgumentError } from 'commander';
import { keccak256, stringToHex } from 'viem';
import {
  contractEventTypes,
  neededFinality,
  readSubscription,
  type Subscription,
} from '../core/webhook-events.ts';

// Arguments and options of commands: each returns the value, or throws the sentence that Commander prints.

export function reasonText(text: string): string {
  if (text.trim().length === 0 || text.length > 500 || text.includes('\0')) {
    throw new InvalidArgumentError('A reason has 1 to 500 characters.');
  }
  return text;
}

export function positiveInteger(text: string): string {
  if (!/^[1-9][0-9]{0,77}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not a whole number above zero.`);
  }
  return text;
}

export function wholeNumber(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not a whole number above zero.`);
  }
  return Number(text);
}

export function wei(text: string): bigint {
  if (!/^[0-9]{1,30}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not a whole number of wei.`);
  }
  return BigInt(text);
}

export function subscriptionList(text: string): Subscription[] {
  return text.split(',').map((name) => {
    const subscription = readSubscription(name.trim());
    if (subscription === undefined) {
      throw new InvalidArgumentError(`"${name}" is not the name of an event, group.* or *.`);
    }
    const types = Object.values(contractEventTypes);
    if (types.every((type) => neededFinality([subscription], type) === undefined)) {
      throw new InvalidArgumentError(`"${name}" is not an event of the chain.`);
    }
    return subscription;
  });
}

export function webhookSecret(text: string): string {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  if (length < 24 || length > 64) {
    throw new InvalidArgumentError('A secret is whsec_ and 24 to 64 bytes as base64.');
  }
  return text;
}

export function blockNumber(text: string): string {
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not a block number.`);
  }
  return text;
}

export function confirmations(text: string): number {
  if (!/^[1-9][0-9]{0,3}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not a whole number from 1 to 9999.`);
  }
  return Number(text);
}

export function deploymentSalt(text: string): `0x${string}` {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text as `0x${string}`;
  if (text.length === 0 || text.length > 200) {
    throw new InvalidArgumentError('A salt has 1 to 200 characters.');
  }
  return keccak256(stringToHex(text));
}

export function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError(`"${text}" is not an http or https address.`);
  }
  return text;
}

export function eachHttpUrl(text: string, before: readonly string[] = []): string[] {
  return [...before, httpUrl(text)];
}

export function eachBlockHash(text: string, before: readonly `0x${string}`[]): `0x${string}`[] {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not 0x and 64 hexadecimal digits.`);
  }
  return [...before, text.toLowerCase() as `0x${string}`];
}

export function address(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not 0x and 40 hexadecimal digits.`);
  }
  return text.toLowerCase() as `0x${string}`;
}
