/**
 * The texts of the pages, found in their source and replaced there. A text is what a person reads: the words between
 * tags with all that is within them, a text attribute, or a string that reads as words. `pages.md` says what that asks
 * of the source. It is compiled for each language, so no page loads a catalogue or asks for a text.
 */
import ts from 'typescript';

/** A text in English, as a translator sees it: `Paid by <0>{name}</0>`. */
export interface Message {
  readonly text: string;
  /** The text for any number but one, where it counts something. */
  readonly plural?: string;
}

/** Texts of another language for a message, the second for its plural; `undefined` leaves the English. */
export type Translate = (message: Message) => readonly [string, string?] | undefined;

/** Attributes that no person reads. */
const CODE_ATTRIBUTES =
  /^(className|class|id|htmlFor|href|to|src|rel|type|role|d|viewBox|transform|points|key|style|sizes|media|allow|sandbox|pattern|autoComplete|inputMode|fill|stroke.*|data-.*|.*ClassName|popover.*|scope|method|tone|tab|path|format|accept|form|target)$/;

/** Attributes and fields whose single words are texts, too. */
const TEXT_NAMES =
  /^(title|label|alt|placeholder|aria-label|word|text|hint|noun|what|heading|legend|cell)$/;

/** Functions whose arguments no person reads. */
const CODE_CALLS =
  /^(storedValue|storeValue|removeValue|matchMedia|querySelector(All)?|addEventListener|removeEventListener|createElement|closest|getElementById|RegExp|fetch|getItem|setItem|getPropertyValue|setProperty|toLocaleString|startsWith|endsWith|includes|replace|Intl\w*)$/;

/** Writes a source file again with its texts as `translate` returns them. */
export function replaceTexts(path: string, source: string, translate: Translate): string {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind);
  return new Writer(file, translate).write(file);
}

/** The messages of a source file, in their order. */
export function messagesOf(path: string, source: string): Message[] {
  const found: Message[] = [];
  replaceTexts(path, source, (message) => void found.push(message));
  return found;
}

/**
 * Strings that a source file compares with others: none may be a text, because the other side may be translated. Names
 * of keys are compared with what the browser says.
 */
export function comparedIn(path: string, source: string): string[] {
  const found: string[] = [];
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) {
      const other = comparedWith(node);
      if (other !== undefined && !/\bkey$/.test(other.getText())) found.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The other side of a comparison with a string. */
function comparedWith(node: ts.StringLiteralLike): ts.Node | undefined {
  const { parent } = node;
  if (ts.isCaseClause(parent)) return parent.parent.parent.expression;
  if (ts.isBinaryExpression(parent) && isComparison(parent)) {
    return parent.left === node ? parent.right : parent.left;
  }
  if (!ts.isCallExpression(parent) || !ts.isPropertyAccessExpression(parent.expression))
    return undefined;
  const { name, expression } = parent.expression;
  return /^(startsWith|endsWith|includes|indexOf)$/.test(name.text) ? expression : undefined;
}

function isComparison(node: ts.BinaryExpression): boolean {
  return /^[!=]==?$/.test(node.operatorToken.getText());
}

/** A piece of a text that is no text: an expression, or an element with the text within it. */
type Part =
  | ts.JsxExpression
  | ts.Expression
  | ts.JsxElement
  | ts.JsxSelfClosingElement
  | ts.JsxFragment;

/** A text with the parts that its placeholders name: `{name}` an expression, `<0>` an element. */
class Outline {
  readonly expressions = new Map<string, Part>();
  readonly elements: Part[] = [];

  /** The placeholder of an expression, by the name that it has in the source. */
  expression(part: Part, expression: ts.Node): string {
    const name = nameOf(expression);
    let unique = name;
    for (let i = 2; this.expressions.has(unique); i += 1) unique = `${name}${i}`;
    this.expressions.set(unique, part);
    return `{${unique}}`;
  }

  element(part: Part): number {
    return this.elements.push(part) - 1;
  }
}

/** Placeholders of a text, and what is between them. */
const PLACEHOLDER = /(\{[A-Za-z0-9_]+\}|<\/?\d+\/?>)/;

/** The placeholders of a text, sorted: a translation has the same, so that it loses no amount and no link. */
export function placeholdersOf(text: string): string[] {
  return text
    .split(PLACEHOLDER)
    .filter((_, i) => i % 2 === 1)
    .sort();
}

class Writer {
  readonly #file: ts.SourceFile;
  readonly #source: string;
  readonly #translate: Translate;

  constructor(file: ts.SourceFile, translate: Translate) {
    this.#file = file;
    this.#source = file.text;
    this.#translate = translate;
  }

  /** The source of a node with its texts replaced. */
  write(node: ts.Node): string {
    return this.#replaced(node) ?? this.#withChildren(node);
  }

  #withChildren(node: ts.Node): string {
    let at = startOf(node, this.#file);
    let written = '';
    ts.forEachChild(node, (child) => {
      written += this.#source.slice(at, startOf(child, this.#file)) + this.write(child);
      at = child.end;
    });
    return written + this.#source.slice(at, node.end);
  }

  #replaced(node: ts.Node): string | undefined {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return node.getText(this.#file);
    if (isParent(node) && node.children.some(hasWords)) return this.#elementText(node);
    if (ts.isCallExpression(node) && node.expression.getText(this.#file) === 'countOf') {
      return this.#countText(node);
    }
    if (ts.isTemplateExpression(node) && isTemplateText(node)) return this.#templateText(node);
    if (!ts.isStringLiteralLike(node) || !isText(node)) return undefined;
    const [text] = this.#translate({ text: node.text }) ?? [];
    if (text === undefined) return undefined;
    const literal = JSON.stringify(text);
    return ts.isJsxAttribute(node.parent) ? `{${literal}}` : literal;
  }

  /** An element of which some children are words: all that is within it is one text. */
  #elementText(node: ts.JsxElement | ts.JsxFragment): string {
    const outline = new Outline();
    const text = outlineOf(node.children, outline);
    const [translated] = this.#translate({ text: text.trim() }) ?? [];
    const [open, close] = tagsOf(node).map((tag) => this.write(tag));
    const content =
      translated === undefined
        ? this.#inOrder(node.children)
        : this.#filled(withSpace(translated, text), outline);
    return `${open}${content}${close}`;
  }

  /** Children as they are: of elements among them, which belong to the text, what is no text. */
  #inOrder(children: readonly ts.JsxChild[]): string {
    return children
      .map((child) => {
        if (ts.isJsxText(child)) return child.getFullText(this.#file);
        if (!isParent(child)) return this.write(child);
        const [open, close] = tagsOf(child).map((tag) => this.write(tag));
        return `${open}${this.#inOrder(child.children)}${close}`;
      })
      .join('');
  }

  /** A translated text with the parts of its outline where it names them. */
  #filled(text: string, { expressions, elements }: Outline): string {
    return text
      .split(PLACEHOLDER)
      .map((piece, i) => {
        if (i % 2 === 0) return piece === '' ? '' : `{${JSON.stringify(piece)}}`;
        if (piece.startsWith('{')) return this.write(expressions.get(piece.slice(1, -1)) as Part);
        const part = elements[Number(piece.replaceAll(/\D/g, ''))] as Part;
        if (!isParent(part)) return this.write(part);
        const [open = '', close = ''] = tagsOf(part).map((tag) => this.write(tag));
        if (piece.endsWith('/>')) return `${open}${close}`;
        return piece.startsWith('</') ? close : open;
      })
      .join('');
  }

  #templateText(node: ts.TemplateExpression): string | undefined {
    const outline = new Outline();
    const spans = node.templateSpans.map(({ expression, literal }) => {
      return outline.expression(expression, expression) + literal.text;
    });
    const text = node.head.text + spans.join('');
    const [translated] = this.#translate({ text: text.trim() }) ?? [];
    if (translated === undefined) return undefined;
    const pieces = withSpace(translated, text).split(PLACEHOLDER);
    const written = pieces.map((piece, i) => {
      if (i % 2 === 0) return piece.replaceAll(/[`\\]|\$\{/g, '\\$&');
      return `\${${this.write(outline.expressions.get(piece.slice(1, -1)) as Part)}}`;
    });
    return `\`${written.join('')}\``;
  }

  /** `countOf(number, 'sale', 'sales')`: its nouns are the two forms of one text. */
  #countText(node: ts.CallExpression): string | undefined {
    const [number, noun, plural] = node.arguments;
    if (!number || !noun || !ts.isStringLiteral(noun)) return undefined;
    const many = plural && ts.isStringLiteral(plural) ? plural.text : `${noun.text}s`;
    const translated = this.#translate({ text: noun.text, plural: many });
    if (translated === undefined) return undefined;
    const nouns = translated.map((text) => JSON.stringify(text)).join(', ');
    return `countOf(${this.write(number)}, ${nouns})`;
  }
}

type Parent = ts.JsxElement | ts.JsxFragment;

function isParent(node: ts.Node): node is Parent {
  return ts.isJsxElement(node) || ts.isJsxFragment(node);
}

function tagsOf(node: Parent): [ts.Node, ts.Node] {
  return ts.isJsxElement(node)
    ? [node.openingElement, node.closingElement]
    : [node.openingFragment, node.closingFragment];
}

function startOf(node: ts.Node, file: ts.SourceFile): number {
  return ts.isJsxText(node) || ts.isSourceFile(node) ? node.pos : node.getStart(file);
}

function hasWords(child: ts.JsxChild): boolean {
  return ts.isJsxText(child) && /\p{L}/u.test(child.text);
}

/** The text of children, with a placeholder for each that is no text. */
function outlineOf(children: readonly ts.JsxChild[], outline: Outline): string {
  return children
    .map((child) => {
      if (ts.isJsxText(child)) return jsxWords(child.text);
      if (ts.isJsxExpression(child)) {
        const { expression } = child;
        if (expression === undefined) return '';
        return ts.isStringLiteral(expression) && /^\s+$/.test(expression.text)
          ? expression.text
          : outline.expression(child, expression);
      }
      const number = outline.element(child);
      if (!isParent(child)) return `<${number}/>`;
      const inner = outlineOf(child.children, outline);
      return inner === '' ? `<${number}/>` : `<${number}>${inner}</${number}>`;
    })
    .join('');
}

/** The words of a text between tags: a line break with its indentation is a space within, and nothing at an end. */
function jsxWords(text: string): string {
  const lines = text.split('\n');
  return lines
    .map((line, i) => {
      const start = i === 0 ? line : line.trimStart();
      return i === lines.length - 1 ? start : start.trimEnd();
    })
    .filter((line) => line !== '')
    .join(' ');
}

/** A translated text with the spaces that the English has at its ends. */
function withSpace(translated: string, text: string): string {
  const [start] = /^\s*/.exec(text) ?? [''];
  const [end] = /\s*$/.exec(text) ?? [''];
  return `${start}${translated}${end}`;
}

/** Name of an expression in the source, for translators: `sale.amount` is `amount`. */
function nameOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isCallExpression(node)) {
    const [first] = node.arguments;
    return first === undefined ? nameOf(node.expression) : nameOf(first);
  }
  return 'value';
}

/** True for a template that reads as words, and names no style. */
function isTemplateText(node: ts.TemplateExpression): boolean {
  const words = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  const all = words.join('{}');
  if (!/\p{L}{2}/u.test(all) || /^https?:|^[/.#]|[=&]\{\}|\{\}px/.test(all)) return false;
  if (node.templateSpans.some(({ expression }) => /\bstyles\b/.test(expression.getText())))
    return false;
  return /\s/.test(all) && !isCode(node);
}

/** True for a string that a person reads. */
function isText(node: ts.StringLiteralLike): boolean {
  const { text } = node;
  if (!/\p{L}/u.test(text) || isCode(node)) return false;
  if (/^\p{Lu}\p{Ll}+(-\p{Ll}+)*[.:!?…]?$/u.test(text) || /\s/.test(text)) return true;
  return /^\p{Ll}+$/u.test(text) && isNamedText(node);
}

/**
 * True for a single word without a capital where only a text can be: in a sentence, under a name of texts, as the value
 * next to a label, or marked by `word`.
 */
function isNamedText(node: ts.Node): boolean {
  let one = node;
  let { parent } = node;
  if (ts.isCallExpression(parent)) return parent.expression.getText() === 'word';
  while (isChoice(parent, one)) [one, parent] = [parent, parent.parent];
  if (ts.isArrowFunction(parent) && parent.body === one) parent = parent.parent;
  if (ts.isArrayLiteralExpression(parent)) return one !== node && isLabel(parent.elements[0]);
  if (ts.isTemplateSpan(parent)) return isTemplateText(parent.parent);
  if (ts.isJsxExpression(parent)) {
    if (isParent(parent.parent)) return true;
    parent = parent.parent;
  }
  if (ts.isJsxAttribute(parent) || ts.isPropertyAssignment(parent)) {
    return TEXT_NAMES.test(parent.name.getText());
  }
  return false;
}

/** True for the first part of a pair whose second is its value: `['Budget', …]`. */
function isLabel(node: ts.Expression | undefined): boolean {
  return node !== undefined && ts.isStringLiteralLike(node) && isText(node);
}

/** True for an expression whose value may be `part`: a branch of a choice. */
function isChoice(node: ts.Node, part: ts.Node): boolean {
  if (ts.isParenthesizedExpression(node)) return true;
  if (ts.isConditionalExpression(node)) return node.condition !== part;
  if (!ts.isBinaryExpression(node) || node.right !== part) return false;
  return /^(\?\?|\|\||&&)$/.test(node.operatorToken.getText());
}

/** True for a string that the program compares, uses as a name, or passes to what no person reads. */
function isCode(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isAsExpression(parent)) return true;
  if (ts.isJsxAttribute(parent)) return CODE_ATTRIBUTES.test(parent.name.getText());
  if (ts.isJsxExpression(parent) && ts.isJsxAttribute(parent.parent)) return isCode(parent);
  if (ts.isPropertyAssignment(parent)) return parent.name === node || isCodeName(parent.name);
  if (ts.isBinaryExpression(parent)) return isComparison(parent);
  if (ts.isConditionalExpression(parent) && parent.condition !== node) return isCode(parent);
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) {
    const name = parent.expression.getText().split('.').at(-1) ?? '';
    return CODE_CALLS.test(name);
  }
  if (ts.isTaggedTemplateExpression(parent)) return true;
  return (
    ts.isElementAccessExpression(parent) ||
    ts.isCaseClause(parent) ||
    ts.isExportDeclaration(parent)
  );
}

function isCodeName(name: ts.PropertyName): boolean {
  return CODE_ATTRIBUTES.test(name.getText());
}
