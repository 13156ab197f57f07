import { skeletonOf } from './look-alike-names.ts';

/** Words that cannot be handles, slugs or names: they would pass for the service or for a page of it. */
const reserved: ReadonlySet<string> = new Set(
  `about,abuse,account,accounts,admin,administrator,api,app,auth,billing,buyer,buyers,campaign,
  campaigns,checkout,contact,dashboard,demo,dev,developer,disputes,docs,earnings,everyone,explorer,
  finance,graph,help,home,info,invitations,legal,links,login,logout,mail,me,merchant,merchants,mine,
  mod,moderator,news,nobody,node,nodes,none,null,official,operator,ops,owner,payments,policy,press,
  privacy,receipts,referral,referrals,refund,refunds,root,sale,sales,security,service,settings,
  signin,signup,staff,status,sudo,support,system,team,terms,test,treasury,undefined,unknown,user,
  users,vault,verified,verify,wallet,webmaster,www`.split(/,\s*/),
);

/** Skeletons of the reserved words. */
const reservedSkeletons: ReadonlySet<string> = new Set([...reserved].map(skeletonOf));

/** The name of this service, which no other name may contain. */
const SERVICE = 'tributary';

/**
 * True if a handle, a slug or a merchant's name cannot be chosen. Only letters and digits count:
 * `ad-min` and "Ad Min" read as one word, and a word that looks like a reserved one is reserved too.
 */
export function isReservedName(name: string): boolean {
  const word = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  const skeleton = skeletonOf(name);
  return (
    reserved.has(word) ||
    reservedSkeletons.has(skeleton) ||
    [word, skeleton].some((one) => one.includes(SERVICE) || one.includes(skeletonOf(SERVICE)))
  );
}
