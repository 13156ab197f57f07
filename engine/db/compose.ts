import type { Fragment, Sql } from './connection.ts';

/** A statement for the driver: a tagged template, whose texts are the same object each time. */
export interface Statement {
  readonly texts: TemplateStringsArray;
  readonly parameters: readonly Parameter[];
}

/** The value of a `$n` in a statement. */
export type Parameter = string | number | boolean | null | readonly string[];

/** Values of a statement by name, and the fragments that replace them while it is composed. */
export type NamedValues<K extends string> = Readonly<Record<K, Parameter>>;
export type NamedFragments<K extends string> = Readonly<Record<K, Fragment>>;

/**
 * Composes a statement from fragments without the driver, for which each fragment is a promise, and which
 * makes the whole text again each time (bench/performance.md). Here the text for the same templates is made
 * once. Every value that is not a fragment is a parameter, as in the driver.
 * @param make makes the statement; the `sql` that it receives makes fragments and sends nothing.
 * @throws {TypeError} if the statement contains anything else, such as a fragment of the driver.
 */
export function compose(sql: Sql, make: (sql: Sql) => Fragment): Statement {
  const whole = requirePart(make(new Proxy(sql, composing)));
  const parameters: Parameter[] = [];
  const node = follow(whole, root, parameters);
  node.texts ??= remember(textsOf(whole));
  return { texts: node.texts, parameters };
}

/**
 * `compose` for a statement that differs between calls in its named values alone. Its parts are made at the
 * first call: to make them for each takes a large statement 40 µs.
 * @param key an object that names the statement: the same each time.
 */
export function composeOnce<K extends string>(
  sql: Sql,
  key: object,
  make: (sql: Sql, values: NamedFragments<K>) => Fragment,
  values: NamedValues<K>,
): Statement {
  const known = composed.get(key) ?? composeWith(sql, make, Object.keys(values) as K[]);
  composed.set(key, known);
  const named: Readonly<Record<string, Parameter>> = values;
  return {
    texts: known.texts,
    parameters: known.parameters.map((one) =>
      one instanceof Placeholder ? (named[one.name] ?? null) : one,
    ),
  };
}

/** Statements of `composeOnce`. */
const composed = new WeakMap<object, StatementOfNames>();

interface StatementOfNames {
  readonly texts: TemplateStringsArray;
  readonly parameters: readonly (Parameter | Placeholder)[];
}

/** Takes the place of a named value in the parameters of a statement. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function composeWith<K extends string>(
  sql: Sql,
  make: (sql: Sql, values: NamedFragments<K>) => Fragment,
  names: readonly K[],
): StatementOfNames {
  const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
  return compose(sql, (parts) => make(parts, asFragments<K>(placeholders)));
}

/** Values in place of fragments: whatever is not a fragment becomes a parameter. */
export function asFragments<K extends string>(values: object): NamedFragments<K> {
  return values as NamedFragments<K>;
}

/** A text as a template without parameters: the same object for the same text. */
export function templateOf(text: string): TemplateStringsArray {
  const known = templates.get(text);
  if (known !== undefined) return known;
  const made = asTemplate([text]);
  templates.set(text, made);
  return made;
}

const templates = new Map<string, TemplateStringsArray>();

/** A fragment of a statement: texts, and the values between them. */
class Part {
  readonly texts: TemplateStringsArray;
  readonly values: readonly unknown[];

  constructor(texts: TemplateStringsArray, values: readonly unknown[]) {
    this.texts = texts;
    this.values = values;
  }

  /** Throws, because the driver would make a parameter of it. */
  toString(): never {
    throw new TypeError('this fragment was made for another statement');
  }
}

/** The part of `Sql` that makes fragments. */
const composing: ProxyHandler<Sql> = {
  apply: (_sql, _this, [first, ...values]: unknown[]) => {
    if (isTemplate(first)) return new Part(first, values);
    const names: unknown[] = Array.isArray(first) ? first : [first];
    return new Part(templateOf(names.map(identifier).join(',')), []);
  },
  get: (_sql, name) => {
    throw new TypeError(`${String(name)} cannot be used in a composed statement`);
  },
};

/** Quotes an identifier like the driver: `a.b` is column b of a. */
function identifier(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError(`${String(name)} is no identifier`);
  return `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`;
}

/**
 * A node of the tree of known statements. The path to it is a statement's templates in their order. Each
 * template determines how many values follow, so that a path has exactly one text.
 */
interface TemplateNode {
  readonly next: Map<TemplateStringsArray | typeof PARAMETER | typeof END, TemplateNode>;
  /** Text of the statement that ends here. */
  texts?: TemplateStringsArray;
}

const PARAMETER = Symbol('a parameter');
const END = Symbol('the end of a list of parts');

/** Maximum number of known texts: filters have many combinations. One more empties the tree. */
const MAX_TEXTS = 1_000;
let root: TemplateNode = { next: new Map() };
let known = 0;

function remember(texts: TemplateStringsArray): TemplateStringsArray {
  known += 1;
  if (known > MAX_TEXTS) {
    root = { next: new Map() };
    known = 0;
  }
  return texts;
}

function follow(
  { texts, values }: Part,
  from: TemplateNode,
  parameters: Parameter[],
): TemplateNode {
  let node = step(from, texts);
  for (const value of values) {
    if (value instanceof Part) {
      node = follow(value, node, parameters);
    } else if (isParts(value)) {
      for (const part of value) node = follow(part, node, parameters);
      node = step(node, END);
    } else {
      parameters.push(requireParameter(value));
      node = step(node, PARAMETER);
    }
  }
  return node;
}

function step(
  { next }: TemplateNode,
  key: TemplateStringsArray | typeof PARAMETER | typeof END,
): TemplateNode {
  const known = next.get(key);
  if (known !== undefined) return known;
  const made: TemplateNode = { next: new Map() };
  next.set(key, made);
  return made;
}

/** The texts between the parameters. */
function textsOf(whole: Part): TemplateStringsArray {
  const texts: string[] = [];
  let text = '';
  const write = (part: Part) => {
    text += part.texts[0] ?? '';
    for (const [i, value] of part.values.entries()) {
      if (value instanceof Part) write(value);
      else if (isParts(value)) for (const each of value) spaced(each);
      else {
        texts.push(text);
        text = '';
      }
      text += part.texts[i + 1] ?? '';
    }
  };
  const spaced = (part: Part) => {
    text += ' ';
    write(part);
  };
  write(whole);
  return asTemplate([...texts, text]);
}

function asTemplate(texts: readonly string[]): TemplateStringsArray {
  return Object.assign([...texts], { raw: texts });
}

function isTemplate(value: unknown): value is TemplateStringsArray {
  return Array.isArray(value) && 'raw' in value;
}

function isParts(value: unknown): value is readonly Part[] {
  return Array.isArray(value) && value[0] instanceof Part;
}

function requirePart(value: unknown): Part {
  if (value instanceof Part) return value;
  throw new TypeError('a statement is composed of fragments');
}

function requireParameter(value: unknown): Parameter {
  // `composeOnce` replaces it.
  if (value instanceof Placeholder) return value as unknown as Parameter;
  if (value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new TypeError('a parameter is text, a number, a boolean, null or a list of texts');
}
