/** Requests of a gateway to the subgraphs of svc. */

const TARGET =
  /^[A-Z]+ (?:https?:\/\/[^/ ]+)?([^ ?]*)\/graphql\/subgraphs\/([\w-]{1,50})(?:\/stream)?(?:\?[^ ]*)?(?: |\r|\n|$)/
const WEB_SOCKET = /^upgrade:[ \t]*websocket/im

interface SubgraphRequest {
  /** In front of `/graphql/subgraphs`. */
  prefix: string
  name: string
}

/** Null for other requests, and for WebSockets: subgraphs answer those themselves. */
export function subgraphRequest(head: string): SubgraphRequest | null {
  const [, prefix, name] = TARGET.exec(head) ?? []
  return prefix === undefined || WEB_SOCKET.test(head) ? null : { prefix, name: name! }
}

export function subgraphIn(head: Buffer): string | null {
  return subgraphRequest(head.toString('latin1'))?.name ?? null
}

/** Whether the path leads to the routes of the session `name`, not to the probe. */
export function isInSession(head: string, name: string): boolean {
  return head.split(' ', 2)[1]?.includes(`/s/${name}/`) === true
}
