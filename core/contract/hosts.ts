/** Hosts that a plugin serves whole. */

export interface ServedHostOptions {
  /** Whether other hosts reach the routes below the mount too. Default: false. */
  shared?: boolean
  /** Whether the HTTPS listener makes a certificate for the name, by the demo CA. Default: true. */
  tls?: boolean
  /**
   * Paths of the host that are not below its mount, with the path of the route: `{ '/mcp': '/mcp/support' }`. What is below
   * such a path is below the path of the route.
   */
  paths?: Readonly<Record<string, string>>
  /** Path of the route for `/` alone. Default: the mount, followed by a slash. */
  root?: string
  /** Hosts with a lower rank match first. Hosts of the same rank match in the order in which they were added. Default: 100. */
  rank?: number
  /** Place in the section of the plugin, such as `llm.hosts[0]`, for what `svc check` says about the entry. */
  at?: string
}

/** A host that is served whole, as lists of servers show it. */
export interface ServedHost {
  /** The pattern, such as `api.openai.com` or `*.openai.azure.com`. */
  host: string
  /** For a pattern with `*`, the URL of one of its hosts. */
  base_url: string
  /** A command that sends a request to the host, without a change in DNS. */
  curl: string
}
