/** The statuses of the replies that the models of a server gave, each once. */
export async function statusesOf(url: string): Promise<number[]> {
  const { requests } = (await (await fetch(`${url}/ai/requests`)).json()) as { requests: { status: number }[] }
  return [...new Set(requests.map(({ status }) => status))]
}
