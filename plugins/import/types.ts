/** The extension point `import.kinds`: formats of other tools that `svc import` reads. */
import type { Json, JsonObject } from 'svc/plugin'

/** Keys and list indexes from the top of a document. */
export type ItemPath = readonly (string | number)[]

/**
 * `disabled`: a condition cannot be expressed, so the rule is written with `enabled: false`. `lost`: a part of the response
 * cannot be expressed. `changed`: it behaves differently. `skipped`: the file or entry is not imported.
 */
export type Severity = 'disabled' | 'lost' | 'changed' | 'skipped'

/** A file of another tool. */
export interface ImportFile {
  /** The path as reports show it, with `/`. */
  readonly name: string
  /** The name without its folders and its extension. */
  readonly stem: string
  /** The JSON or YAML of the file. */
  readonly document: Json
  readonly text: string
  /** Whether the text is JSON. */
  readonly isJson: boolean
  /** The folder of the tool: the argument of the command, or the folder of the file. Absolute. */
  readonly folder: string
  /** The folder of the file. Absolute. */
  readonly directory: string
}

export interface FindingDetails {
  /** Default: the last key of the path. */
  feature?: string
  /** Name of the rule. */
  rule?: string
}

/** What a conversion can do. */
export interface Importing {
  /** Reports what was not imported as it was. */
  find(file: ImportFile, path: ItemPath, severity: Severity, message: string, details?: FindingDetails): void
  /** A unique name for a rule, made of the first text that has characters for it. */
  ruleName(...candidates: (Json | undefined)[]): string
  /** A unique name for an upstream, made of a host; undefined if there are as many as the proxy can have. */
  upstreamName(host: string): string | undefined
  /** A file that a stub names, below one of the folders, which are seen from that of the tool; otherwise why it cannot be used. */
  readBody(file: ImportFile, path: string, folders: readonly string[]): Promise<Buffer | { problem: string }>
  /** The path of a file with a body below the folder of such files: the wanted one, unless other content has it. */
  bodyName(wanted: string, content: Buffer): string
}

/** The rules of one file, in the order of evaluation. */
export interface ConvertedRules {
  file: ImportFile
  rules: readonly JsonObject[]
}

export interface WrittenFile {
  /** Below the folder that is written, with `/`. */
  path: string
  content: string | Buffer
}

/** What the files of a kind become. */
export interface Conversion {
  /** Entries of the kind: stubs, examples, exchanges, documents. */
  found: number
  /** Entries that are not active, and those that are left out. */
  disabled: number
  skipped: number
  /** Files in the order of evaluation. */
  rules?: readonly ConvertedRules[]
  /** Items of the sections `proxy` and `mocks`, and of `llm.providers`. */
  proxy?: readonly JsonObject[]
  mocks?: readonly JsonObject[]
  providers?: readonly JsonObject[]
  /** Hosts to which rules send requests. */
  notify?: readonly string[]
  files?: readonly WrittenFile[]
}

/** A format of another tool. */
export interface ImportKind {
  /** The word of `--from`. */
  id: string
  /** Whether the document of the file has this format. */
  recognizes(file: ImportFile): boolean
  /** Converts all files of the kind, in the order of their names. Must not throw for what they contain. */
  convert(files: readonly ImportFile[], importing: Importing): Conversion | Promise<Conversion>
}

export interface ImportKinds {
  /** Throws if the id is taken. */
  register(kind: ImportKind): void
  list(): readonly ImportKind[]
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'import.kinds': ImportKinds
  }
}
