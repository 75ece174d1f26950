module github.com/svc-upstream/svc/clients/go

go 1.22
