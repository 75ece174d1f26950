/** Paths of the control plane, and of routes that gateways call themselves, about requests of clients. */

export class IgnoredPaths {
  readonly #paths = ['/_svc']

  add(paths: readonly string[]): void {
    this.#paths.push(...paths)
  }

  /** Whether the request with this head is for such a route, also in a session. */
  has(head: string): boolean {
    const target = /^\S+ (?:https?:\/\/[^/\s]*)?(?:\/s\/[^/\s?]+)?(\/[^\s?]*)/i.exec(head)?.[1]
    return target !== undefined && this.#paths.some(path => target === path || target.startsWith(`${path}/`))
  }
}
