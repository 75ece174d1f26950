/** One connection to a Redis or Valkey server, in the terms of the state store. */

export interface StoreLink {
  connect(): Promise<unknown>
  /** Sends a command. `key` decides which server of a cluster gets it. Commands are sent in the order of the calls. */
  send(key: string, command: readonly string[]): Promise<unknown>
  /** Subscribes to a sharded channel. */
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  destroy(): void
  /** Called once, when the connection is lost. */
  onLoss(callback: () => void): void
}
