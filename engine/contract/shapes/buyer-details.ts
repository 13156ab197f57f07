// What buyers tell the merchant with an order.
import { z } from 'zod';
import { countryCodes, detailKinds } from '../../core/buyer-details.ts';
import { nameSchemas } from '../names.ts';
import { Timestamp, textInput } from '../values.ts';

const Asking = z.enum(['no', 'optional', 'required']);

/** Details that the checkout of a product asks for. */
export const AskedDetails = z
  .strictObject({
    email: Asking.describe('An e-mail address.'),
    address: Asking.describe('An address to deliver to.'),
    note: Asking.describe('A text for the merchant, such as a size or a wish.'),
  })
  .describe('Details that its checkout asks the buyer for; only the merchant reads them.');

export const DetailKind = z.enum(detailKinds);

const address = {
  name: z.string().describe('Who receives it.'),
  line1: z.string().describe('Street and number.'),
  line2: z.string().describe('Floor, flat or company; may be empty.'),
  city: z.string(),
  region: z.string().describe('State, province or county; may be empty.'),
  postalCode: z.string().describe('May be empty: some countries have none.'),
  country: z.string().describe('ISO 3166-1 alpha-2, such as NO.'),
};

/** An address to deliver to. */
const PostalAddress = z.strictObject(address);

const text = (max: number) => textInput(max).describe(`At most ${max} characters.`);
const needed = (max: number) =>
  textInput(max)
    .refine((value) => value.trim() !== '', 'must not be empty')
    .describe(`1 to ${max} characters.`);

const PostalAddressInput = z.strictObject({
  name: needed(100),
  line1: needed(200),
  line2: text(200).optional(),
  city: needed(100),
  region: text(100).optional(),
  postalCode: text(20).optional(),
  country: z
    .string()
    .refine((code) => countryCodes.includes(code), 'must be a country code of two capital letters')
    .describe('ISO 3166-1 alpha-2, such as NO.'),
});

/** Details of an order, the body of `checkout.saveDetails`: what is left out is deleted. */
export const BuyerDetailsInput = z.strictObject({
  email: z
    .email('must be an e-mail address')
    .max(254, 'must have at most 254 characters')
    .describe('At most 254 characters.')
    .nullable()
    .optional(),
  address: PostalAddressInput.nullable().optional(),
  note: text(1_000).nullable().optional(),
});

/** Details of an order, as only its buyer and its merchant read them. */
export const BuyerDetails = z.strictObject({
  email: z.string().nullable().describe('null if none was given.'),
  address: PostalAddress.nullable().describe('null if none was given.'),
  note: z.string().nullable().describe('null if none was given.'),
  givenAt: Timestamp.nullable().describe('null if nothing was given.'),
  updatedAt: Timestamp.nullable().describe('When they were last changed; null if never given.'),
});

nameSchemas({ AskedDetails, PostalAddress, PostalAddressInput, BuyerDetails });
