import { z } from 'zod';
import { del, get, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import {
  Address,
  ChainId,
  ConfirmationToken,
  Id,
  SignatureOrNone,
  Timestamp,
  textInput,
} from '../values.ts';

const Nonce = z.strictObject({
  nonce: z
    .string()
    .regex(/^[A-Za-z0-9]{8,128}$/)
    .describe('For the field Nonce of the message; good for one sign-in.'),
  expiresAt: Timestamp.describe('When the nonce expires.'),
  chainId: ChainId.describe('For the field Chain ID of the message.'),
});

const Session = z.strictObject({
  id: Id.describe('Names the session in the list of sessions; it opens nothing.'),
  address: Address.describe('The account that is signed in, in lower case.'),
  csrfToken: z
    .string()
    .describe('Bound to this session: send it as header x-csrf-token with every write.'),
  signedInAt: Timestamp,
  expiresAt: Timestamp.describe('When the session ends, however much it is used.'),
  idleSeconds: z.int().min(1).describe('Seconds without a request after which it ends.'),
  scopes: z
    .array(z.enum(['buyer', 'distributor', 'merchant', 'operator']))
    .describe('Roles of the account; every account is a buyer.'),
});

const SessionEntry = z.strictObject({
  id: Id,
  current: z.boolean().describe('Whether this request belongs to it.'),
  userAgent: z
    .string()
    .max(200)
    .nullable()
    .describe('User agent at sign-in, cut to 200 characters.'),
  signedInAt: Timestamp,
  lastSeenAt: Timestamp.describe('To the minute.'),
  expiresAt: Timestamp,
});

const Message = textInput(4_000)
  .min(1)
  .describe(
    'The EIP-4361 message, character by character as it was signed: domain and URI of an allowed ' +
      'origin, this chain, a nonce of auth.nonce, issued within 10 minutes. 4000 characters at most.',
  );

const WalletSignature = SignatureOrNone.describe(
  'Of an EOA or a contract wallet (ERC-1271, ERC-6492); at most 10000 bytes. 0x if the wallet has approved the message on the chain.',
);

nameSchemas({
  SignInNonce: Nonce,
  Session,
  SessionEntry,
  SignInMessage: Message,
  SignInSignature: WalletSignature,
});

/** Sign-in with an Ethereum account (EIP-4361), and the caller's sessions. */
export const auth = resource('auth', {
  about: 'Sign-in with an Ethereum account (EIP-4361), and one’s own sessions.',
  caller: 'account',
  documentedName: null,
})({
  nonce: get('/v1/auth/nonce', {
    caller: 'public',
    summary: 'A nonce for one sign-in.',
    input: {},
    output: Nonce,
  }),
  signIn: post('/v1/auth/sign-in', {
    caller: 'public',
    readsSession: true,
    summary: 'Begins a session, by cookie, for the account that signed; ends the one presented.',
    input: { body: z.strictObject({ message: Message, signature: WalletSignature }) },
    output: Session,
  }),
  confirm: post('/v1/auth/confirm', {
    sessionOnly: true,
    summary: 'A new signature of the account that is signed in, for sensitive writes.',
    input: { body: z.strictObject({ message: Message, signature: WalletSignature }) },
    output: z.strictObject({
      confirmationToken: ConfirmationToken.unwrap().describe(
        'Valid for sensitive writes of this session; a newer one replaces it.',
      ),
      expiresAt: Timestamp.describe('5 minutes from now.'),
    }),
  }),
  session: get('/v1/auth/session', {
    sessionOnly: true,
    summary: 'The signed-in account, with the CSRF token; 401 without a session.',
    input: {},
    output: Session,
  }),
  signOut: post('/v1/auth/sign-out', {
    sessionOnly: true,
    rights: 'narrows',
    summary: 'Ends this session, and removes its cookie.',
    input: {},
    output: z.strictObject({ signedOut: z.literal(true) }),
  }),
  sessions: get('/v1/auth/sessions', {
    sessionOnly: true,
    summary: 'The caller’s open sessions, newest first.',
    input: {},
    output: z.strictObject({
      items: z.array(SessionEntry).max(20).describe('An account has 20 at most.'),
    }),
  }),
  revokeSession: del('/v1/auth/sessions/:id', {
    sessionOnly: true,
    rights: 'narrows',
    summary: 'Ends one of the caller’s sessions.',
    input: { params: z.strictObject({ id: Id }) },
    output: z.strictObject({ revoked: z.literal(true) }),
  }),
});
