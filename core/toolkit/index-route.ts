/** The route at the path of an area, such as `GET /auth`, which lists the endpoints below it. */
import { describe, type FastifyInstance, type Svc } from '../contract/plugin.ts'

export interface IndexRoute {
  /** Path of the area; the endpoints of the plugin below it are listed. */
  path: string
  /** Category of the route in the catalog. */
  category: string
  summary: string
  /** Further paths by name, such as that of a document; the response has their URLs. */
  links?: Readonly<Record<string, string>>
  /** What to do first, if the area has nothing to call yet. */
  hint?: string
}

/** Registers `GET <path>`: `{"endpoints": [{"method", "path", "summary"}]}`, from the catalog, with links and hint. */
export function registerIndex(app: FastifyInstance, svc: Svc<unknown>, route: IndexRoute): void {
  const { path, category, summary, links = {}, hint } = route
  app.get(
    path,
    describe({
      summary,
      category,
      responses: {
        200: {
          description: '`endpoints`: the method, path and summary of each endpoint',
          content: { 'application/json': { type: 'object' } },
        },
      },
      examples: [{ name: 'Index', path, expectStatus: 200 }],
    }),
    request => ({
      ...Object.fromEntries(Object.entries(links).map(([name, to]) => [name, svc.http.url(request, to)])),
      endpoints: svc.instance
        .catalog()
        .endpoints.filter(endpoint => endpoint.plugin === svc.name && endpoint.path.startsWith(`${path}/`))
        .flatMap(endpoint =>
          endpoint.methods.map(method => ({ method, path: endpoint.path, summary: endpoint.summary })),
        ),
      ...(hint !== undefined && { hint }),
    }),
  )
}
