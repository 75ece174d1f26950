/** Where the subgraphs are. */
export const SUBGRAPHS_PATH = '/graphql/subgraphs'
export const CATEGORY = 'GraphQL'

export function pathOf(name: string): string {
  return `${SUBGRAPHS_PATH}/${name}`
}
