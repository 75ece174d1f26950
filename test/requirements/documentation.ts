/** What documentation, gateway recipes and container files promise. */
export default [
  {
    id: 'DOC-1',
    rule: 'every sh and js block of the documentation runs against a fresh server, and what is shown below one comes',
    where: 'issue 12.5',
  },
  {
    id: 'DOC-2',
    rule: 'every page is run, every area has a page, the index names all, and links within the project lead somewhere',
    where: 'issue 12.5',
  },
  {
    id: 'DOC-3',
    rule: 'gateway recipes are well-formed, refer to their own parts, and name only hosts, ports and paths that the service has',
    where: 'issue 12.5',
  },
  {
    id: 'DOC-4',
    rule: 'what the image holds starts, answers its health check and stops by its signal, without root and on ports that need no rights',
    where: 'issue 12.4',
  },
  {
    id: 'DOC-5',
    rule: 'the compose file runs the image with Kong in front, configured by the recipe',
    where: 'issue 12.4',
  },
  {
    id: 'DOC-6',
    rule: 'the Kubernetes manifests are valid, agree with the image, and probe paths that are there',
    where: 'issue 12.4',
  },
  {
    id: 'DOC-7',
    rule: 'texts and names use plain English: no word or phrase of the list of avoided ones',
    where: 'CONTRIBUTING.md',
  },
]
