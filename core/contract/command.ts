/** What a command gets besides its arguments. */
import type { ExtensionPoints } from './plugin.ts'

/** Names of subcommands that belong to the core. */
export const CORE_COMMANDS = [
  'serve',
  'help',
  'health',
  'open',
  'check',
  'doctor',
  'plugins',
  'routes',
  'schema',
  'new-plugin',
  'completion',
] as const

/** Groups of commands in `svc --help`, in their order: run svc, configure it, test with it, move to it from other tools. */
export const COMMAND_GROUPS = ['run', 'configure', 'test', 'move'] as const
export type CommandGroup = (typeof COMMAND_GROUPS)[number]

/** Words by the word before them; `''`: right after the command. */
export type CompletionWords = Readonly<Record<string, readonly string[]>>

/** Standard output or standard error. */
export interface CommandOutput {
  write(text: string): unknown
  isTTY?: boolean
  /** Number of characters per line, on a terminal. */
  columns?: number
}

export interface CommandServerOptions {
  /** Overrides variables of the process. */
  environment?: Record<string, string>
  /** Overrides items of the plugin's section in `svc.yaml`. */
  options?: Record<string, unknown>
}

/** A server in the process of the command. */
export interface CommandServer {
  readonly ports: { http: number | null; https: number | null; grpc: number | null }
  stop(): Promise<void>
}

export interface CommandContext {
  out: CommandOutput
  err: CommandOutput
  environment: Readonly<Record<string, string | undefined>>
  /** Relative paths in arguments are relative to it. */
  workingDirectory: string
  /** Version of svc. */
  version: string
  /** Commit of svc, if it is known. */
  gitSha: string | null
  /** The plugin's section of `svc.yaml` as it was written; undefined without one. */
  section: unknown
  /**
   * An extension point of the plugin of the command, or of one that it lists in `buildsOn` or `uses`, extended by the plugins
   * that a start would load. They are registered without opening a port, and closed again: only what they left on the extension
   * point can be used. Undefined if the owner is disabled, and for a point of the command's own plugin if no other plugin
   * mentions it. Plugins that failed are reported on `err`.
   */
  use<K extends keyof ExtensionPoints>(point: K): Promise<ExtensionPoints[K] | undefined>
  /** Starts a server with all plugins in this process. Its log is not written. Rejects if it can't listen. */
  startServer(options?: CommandServerOptions): Promise<CommandServer>
}
