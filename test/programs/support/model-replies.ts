/**
 * The statuses of the replies that the models of a server gave, each once. What names no model does not count: load generators
 * look for the metrics of a model server, too.
 */
export async function statusesOf(url: string): Promise<number[]> {
  const { requests } = (await (await fetch(`${url}/ai/requests`)).json()) as {
    requests: { status: number; model: string | null }[]
  }
  return [...new Set(requests.filter(({ model }) => model !== null).map(({ status }) => status))]
}
