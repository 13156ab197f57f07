import type { Readable, Writable } from 'node:stream';

/** A row of an answer, by column. */
// biome-ignore lint/suspicious/noExplicitAny: the database decides the types of columns.
export type Row = Record<string, any>;

/** Rows of an answer, and how many rows the statement read or changed. */
export type Rows<T extends AnyRows = Row[]> = T & { readonly count: number };
type AnyRows = readonly (object | undefined)[];

/** A statement as it is sent: its text, and the values of its `$1`, `$2`, … */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
  /**
   * `prepared`: parsed once on each connection; `unprepared`: parsed each time; `simple`: several statements without
   * parameters.
   */
  readonly protocol: 'prepared' | 'unprepared' | 'simple';
  /** Its stack says where the statement was written. */
  readonly origin?: Error | undefined;
}

/** Runs statements: a pool, a transaction or a session. */
export interface Sender {
  /** @throws {PostgresError} if the server refuses it. */
  send(statement: Statement): Promise<Rows>;
  /** The rows of a statement in batches of `size`; within a transaction or a session. */
  cursor(statement: Statement, size: number): AsyncIterable<Row[]>;
  /** Takes the lines of a `copy … from stdin`. It fails with the server's error, also with one after the last line. */
  copyIn(text: string): Promise<Writable>;
  /** The lines of a `copy … to stdout`. */
  copyOut(text: string): Promise<Readable>;
}

/** A pool, a transaction or a session: what every query function takes. */
export interface Sql {
  /** A statement, or a part of one: every value that is no part becomes a parameter. It is sent when it is awaited. */
  <T extends AnyRows = Row[]>(
    texts: TemplateStringsArray,
    ...values: readonly unknown[]
  ): Fragment<T>;
  /** Names, quoted and separated by commas: `a.b` is column b of a. */
  (names: string | readonly string[]): Fragment;
  /** Columns and values of rows, for an `insert`. All rows have the columns of the first. */
  (rows: object | readonly object[]): Fragment;
  /**
   * A text as a statement, or as a part of one. Without parameters it may be several statements.
   * @param options `prepare`: parses it once on each connection.
   */
  unsafe<T extends AnyRows = Row[]>(
    text: string,
    parameters?: readonly unknown[],
    options?: { readonly prepare?: boolean },
  ): Fragment<T>;
  /** A parameter of type `jsonb`. */
  json(value: unknown): Json;
  /** Sends a statement of {@link composeOnce}. */
  run<T extends AnyRows = Row[]>(statement: Statement): Promise<Rows<T>>;
}

/** A value that is sent as `jsonb`. */
export class Json {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** A template's texts, or a text without values. Texts of the same template are the same object each time. */
type Texts = TemplateStringsArray | string;

/**
 * A statement, or a part of one: texts, and the values between them. The text that is sent for the same templates is
 * made once (bench/performance.md).
 */
export class Fragment<T extends AnyRows = Row[]> implements Promise<Rows<T>> {
  readonly texts: Texts;
  readonly values: readonly unknown[];
  readonly #sender: Sender;
  readonly #protocol: Statement['protocol'];
  #answer: Promise<Rows<T>> | undefined;

  constructor(
    sender: Sender,
    texts: Texts,
    values: readonly unknown[],
    protocol: Statement['protocol'] = 'prepared',
  ) {
    this.texts = texts;
    this.values = values;
    this.#sender = sender;
    this.#protocol = protocol;
  }

  get [Symbol.toStringTag](): string {
    return 'Fragment';
  }

  // biome-ignore lint/suspicious/noThenProperty: a statement is sent when somebody waits for it.
  then<R = Rows<T>, E = never>(
    onFulfilled?: ((rows: Rows<T>) => R | PromiseLike<R>) | null,
    onRejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    return this.#send().then(onFulfilled, onRejected);
  }

  catch<E = never>(
    onRejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<Rows<T> | E> {
    return this.#send().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Rows<T>> {
    return this.#send().finally(onFinally);
  }

  /** Sends the statement now, not when it is awaited: before the statements that it is awaited with. */
  execute(): this {
    void this.#send();
    return this;
  }

  /** See {@link Sender.cursor}. */
  cursor(size: number): AsyncIterable<T> {
    return this.#sender.cursor(
      this.#statement(),
      size,
    ) as AsyncIterable<unknown> as AsyncIterable<T>;
  }

  /** See {@link Sender.copyIn}. */
  async writable(): Promise<Writable> {
    return await this.#sender.copyIn(this.#statement().text);
  }

  /** See {@link Sender.copyOut}. */
  async readable(): Promise<Readable> {
    return await this.#sender.copyOut(this.#statement().text);
  }

  #send(): Promise<Rows<T>> {
    this.#answer ??= this.#sent() as Promise<unknown> as Promise<Rows<T>>;
    return this.#answer;
  }

  #sent(): Promise<Rows> {
    try {
      return this.#sender.send(this.#statement());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #statement(): Statement {
    const { texts, values } = this;
    if (typeof texts === 'string')
      return { text: texts, parameters: values, protocol: this.#protocol };
    return compose(this);
  }
}

/** Where each template was first used. */
const origins = new WeakMap<TemplateStringsArray, Error>();

/** Frames that an origin shows. */
const ORIGIN_FRAMES = 4;

function noteOrigin(texts: TemplateStringsArray, caller: (first: unknown) => unknown): void {
  if (origins.has(texts)) return;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = ORIGIN_FRAMES;
  const origin = new Error('The statement was written here.');
  Error.captureStackTrace(origin, caller);
  origins.set(texts, origin);
  Error.stackTraceLimit = limit;
}

/** The function that makes statements for a sender. */
export function sqlOf(sender: Sender): Sql {
  const make = (first: unknown, ...values: readonly unknown[]): Fragment => {
    if (isTemplate(first)) {
      noteOrigin(first, make);
      return new Fragment(sender, first, values);
    }
    if (typeof first === 'string') return new Fragment(sender, identifier(first), []);
    if (isNames(first)) return new Fragment(sender, first.map(identifier).join(','), []);
    return insertion(sql, first as object | readonly object[]);
  };
  const sql = Object.assign(make, {
    unsafe: (
      text: string,
      parameters: readonly unknown[] = [],
      { prepare }: { readonly prepare?: boolean } = {},
    ) => {
      const unprepared = parameters.length === 0 ? 'simple' : 'unprepared';
      return new Fragment(sender, text, parameters, prepare === true ? 'prepared' : unprepared);
    },
    json: (value: unknown) => new Json(value),
    run: (statement: Statement) => sender.send(statement),
  }) as Sql;
  return sql;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Quotes an identifier: `a.b` is column b of a. */
function identifier(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`;
}

function insertion(sql: Sql, first: object | readonly object[]): Fragment {
  const rows: readonly Row[] = Array.isArray(first) ? first : [first];
  const columns = Object.keys(rows[0] ?? {});
  const lists = rows.map((row) =>
    listOf(
      sql,
      columns.map((column) => row[column]),
    ),
  );
  return sql`(${sql(columns)})values${commaSeparated(sql, lists)}`;
}

/** Values in parentheses, as after `in`. */
export function listOf(sql: Sql, values: readonly unknown[]): Fragment {
  return sql`(${commaSeparated(
    sql,
    values.map((value) => sql`${value}`),
  )})`;
}

/** Parts of a statement with commas between them. */
export function commaSeparated(sql: Sql, parts: readonly Fragment[]): Fragment {
  return sql`${parts.map((part, i) => (i === 0 ? part : sql`, ${part}`))}`;
}

/** Values of a statement by name, and the parts that stand for them. */
export type NamedValues<K extends string> = Readonly<Record<K, unknown>>;
export type NamedFragments<K extends string> = Readonly<Record<K, Fragment>>;

/** A part for each value. */
export function named<K extends string>(sql: Sql, values: NamedValues<K>): NamedFragments<K> {
  const parts = Object.entries(values).map(([name, value]) => [name, sql`${value}`]);
  return Object.fromEntries(parts) as NamedFragments<K>;
}

/**
 * Composes a statement that differs between calls in its named values alone. Its parts are made at the first call: to
 * make them for each takes a large statement 40 µs.
 * @param key an object that names the statement: the same each time.
 */
export function composeOnce<K extends string>(
  sql: Sql,
  key: object,
  make: (values: NamedFragments<K>) => Fragment,
  values: NamedValues<K>,
): Statement {
  const known = composed.get(key) ?? compose(make(named(sql, placeholders(Object.keys(values)))));
  composed.set(key, known);
  const parameters = known.parameters.map((one) =>
    one instanceof Placeholder ? (values[one.name as K] ?? null) : one,
  );
  return { ...known, parameters };
}

/** Statements of `composeOnce`. */
const composed = new WeakMap<object, Statement>();

/** Takes the place of a named value in the parameters of a statement. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function placeholders<K extends string>(names: readonly string[]): NamedValues<K> {
  return Object.fromEntries(names.map((name) => [name, new Placeholder(name)])) as NamedValues<K>;
}

/**
 * A node of the tree of known statements. The path to it is a statement's templates in their order. Each
 * template determines how many values follow, so that a path has exactly one text.
 */
interface TemplateNode {
  readonly next: Map<Texts | typeof PARAMETER | typeof END, TemplateNode>;
  /** Text of the statement that ends here. */
  text?: string;
}

const PARAMETER = Symbol('a parameter');
const END = Symbol('the end of a list of parts');

/** Maximum number of known texts: filters have many combinations. One more empties the tree. */
const MAX_TEXTS = 1_000;
let root: TemplateNode = { next: new Map() };
let known = 0;

/**
 * Composes a statement from its parts.
 * @throws {TypeError} if a text with parameters is a part of another statement.
 */
export function compose(whole: Fragment<AnyRows>): Statement {
  const parameters: unknown[] = [];
  const node = follow(whole, root, parameters);
  node.text ??= remember(textOf(whole));
  const origin = typeof whole.texts === 'string' ? undefined : origins.get(whole.texts);
  return { text: node.text, parameters, protocol: 'prepared', origin };
}

function remember(text: string): string {
  known += 1;
  if (known > MAX_TEXTS) {
    root = { next: new Map() };
    known = 0;
  }
  return text;
}

function follow(
  { texts, values }: Fragment<AnyRows>,
  from: TemplateNode,
  parameters: unknown[],
): TemplateNode {
  let node = step(from, texts);
  if (typeof texts === 'string') {
    if (values.length > 0) throw new TypeError('a text with parameters is no part of a statement');
    return node;
  }
  for (const value of values) {
    if (value instanceof Fragment) {
      node = follow(value, node, parameters);
    } else if (isParts(value)) {
      for (const part of value) node = follow(part, node, parameters);
      node = step(node, END);
    } else {
      parameters.push(value);
      node = step(node, PARAMETER);
    }
  }
  return node;
}

function step({ next }: TemplateNode, key: Texts | typeof PARAMETER | typeof END): TemplateNode {
  const known = next.get(key);
  if (known !== undefined) return known;
  const made: TemplateNode = { next: new Map() };
  next.set(key, made);
  return made;
}

function textOf(whole: Fragment<AnyRows>): string {
  let parameters = 0;
  const write = ({ texts, values }: Fragment<AnyRows>): string => {
    if (typeof texts === 'string') return texts;
    return texts.reduce((text, next, i) => text + valueText(values[i - 1]) + next);
  };
  const valueText = (value: unknown): string => {
    if (value instanceof Fragment) return write(value);
    if (isParts(value)) return value.map((part) => ` ${write(part)}`).join('');
    parameters += 1;
    return `$${parameters}`;
  };
  return write(whole);
}

function isTemplate(value: unknown): value is TemplateStringsArray {
  return Array.isArray(value) && 'raw' in value;
}

function isParts(value: unknown): value is readonly Fragment[] {
  return Array.isArray(value) && value[0] instanceof Fragment;
}
