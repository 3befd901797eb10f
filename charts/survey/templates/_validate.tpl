{{/*
Rejects contradicting values, which a schema cannot express, and values for which it would only show a regular expression. Each message names
the values and a remedy, and repeats none: somebody may have written a password.
*/}}
{{- define "survey.validate" -}}
{{- range $at, $value := dict "postgres.host" .Values.postgres.host "postgres.migrationHost" .Values.postgres.migrationHost "postgres.replica.host" .Values.postgres.replica.host "nats.host" .Values.nats.host "redis.host" .Values.redis.host -}}
{{- if and $value (not (include "survey.isHost" $value)) -}}
{{- if regexMatch "^([0-9.]+|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)$" $value -}}
{{- fail (printf "%s has the form of an IP address, but is none: IPv4 has four numbers from 0 to 255, such as 10.0.0.12, and IPv6 eight groups of up to four hexadecimal digits, or fewer and one ::, such as fd00::1" $at) -}}
{{- end -}}
{{- fail (printf "%s must be one host name or IP address alone, such as db.example.org or fd00::1: the port is a value of its own" $at) -}}
{{- end -}}
{{- if hasSuffix ".invalid" (default "" $value) -}}
{{- fail (printf "%s is still the placeholder of the profile: write the host name of your server" $at) -}}
{{- end -}}
{{- end -}}
{{- range list "postgres" "nats" "redis" -}}
{{- if not (or $.Values.bundled.enabled (index $.Values . "host")) -}}
{{- fail (printf "%s.host is required: write the host name of your server, or set bundled.enabled to try the service out" .) -}}
{{- end -}}
{{- end -}}
{{- $endpoint := .Values.nats.monitoringEndpoint -}}
{{- range $example, $given := dict
  "openTelemetry.endpoint must be a URL such as http://collector.observability:4318" .Values.openTelemetry.endpoint
  "monitoring.prometheusUrl must be a URL such as http://prometheus.monitoring:9090" .Values.monitoring.prometheusUrl
  "console.providerProxy must be a URL such as http://proxy.example.org:3128" .Values.console.providerProxy
  "nats.monitoringEndpoint must be host:port, such as nats-headless.nats:8222" (ternary (printf "http://%s" $endpoint) "" (not (empty $endpoint))) -}}
{{- $host := trimSuffix (regexFind ":[1-9][0-9]{0,4}$" $given) (regexReplaceAll "^https?://" $given "") -}}
{{- $isIpv6 := regexMatch "^\\[.*:.*\\]$" $host -}}
{{- if $isIpv6 }}{{ $host = trimAll "[]" $host }}{{ end -}}
{{- if and $given (or (not (regexMatch "^https?://.+:[1-9][0-9]{0,4}$" $given)) (gt (regexFind "[0-9]+$" $given | int) 65535) (ne $isIpv6 (contains ":" $host)) (not (include "survey.isHost" $host))) -}}
{{- fail (printf "%s: a host name, an IPv4 address or an IPv6 address in brackets, no user, a port from 1 to 65535, and nothing behind it" $example) -}}
{{- end -}}
{{- end -}}
{{- $registry := regexReplaceAll "/.*$" .Values.global.imageRegistry "" -}}
{{- $port := regexFind ":[0-9]+$" $registry | trimPrefix ":" -}}
{{- if and $registry (or (not (regexMatch "^[^/]+(/[a-z0-9]([a-z0-9._-]*[a-z0-9])?)*$" .Values.global.imageRegistry)) (gt (int $port) 65535) (not (include "survey.isHost" (trimSuffix (printf ":%s" $port) $registry)))) -}}
{{- fail "global.imageRegistry must be a host and perhaps a path, without https://, such as registry.example.org/team" -}}
{{- end -}}
{{- if not (regexMatch "^[a-z0-9][a-z0-9.-]*(:[0-9]+/[a-z0-9._-]+)?(/[a-z0-9._-]+)*$" .Values.image.repository) -}}
{{- fail "image.repository must be a name in small letters, such as team/survey: the tag is image.tag, the digest image.digest, and the registry global.imageRegistry" -}}
{{- end -}}
{{- if not (and (regexMatch "^([^<>@]*<[^<>@ ]+@[^<>@: ]+>|[^<>@ ]+@[^<>@: ]+)$" .Values.smtp.from) (include "survey.isHost" (regexFind "[^@]+$" .Values.smtp.from | trimSuffix ">"))) -}}
{{- fail "smtp.from must be an address such as survey@example.org, or Survey <survey@example.org>" -}}
{{- end -}}
{{- $clients := concat (ternary .Values.ingress.hosts list .Values.ingress.enabled) (ternary .Values.gatewayApi.hostnames list .Values.gatewayApi.enabled) -}}
{{- if and .Values.console.enabled (has .Values.console.host $clients) -}}
{{- fail "console.host is also in ingress.hosts or gatewayApi.hostnames: the console needs a name of its own" -}}
{{- end -}}
{{- $connections := int .Values.postgres.reservedConnections -}}
{{- $shares := list -}}
{{- $replica := .Values.postgres.replica -}}
{{- $replicaConnections := $connections -}}
{{- $enabled := (include "survey.enabledComponents" . | fromJson).names -}}
{{- if and .Values.opsTools.enabled (not (has "account-admin" $enabled)) -}}
{{- fail "opsTools.enabled is true, but components.account-admin.enabled is false: surveyctl calls account-admin" -}}
{{- end -}}
{{- if and .Values.console.enabled (not (has "account-admin" $enabled)) -}}
{{- fail "console.enabled is true, but components.account-admin.enabled is false: the console calls account-admin" -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]" (include "survey.fullname" .)) -}}
{{- fail (printf "%s, with which all names begin, begins with a digit, which Kubernetes rejects in the name of a Service: set fullnameOverride to another name" (include "survey.fullname" .)) -}}
{{- end -}}
{{- if regexMatch "(^|[.])clustercfg[.]" .Values.redis.host -}}
{{- fail "redis.host is the configuration endpoint of a Redis Cluster, which is not supported: create the cache with cluster mode off, and set its primary endpoint" -}}
{{- end -}}
{{- if ne (int (index .Values.components "scoring-anonymity").settings.answerRetentionDays) (int (index .Values.components "text-analysis").settings.answerRetentionDays) -}}
{{- fail "components.scoring-anonymity.settings.answerRetentionDays and components.text-analysis.settings.answerRetentionDays differ: set both, or answers are kept in one of the services" -}}
{{- end -}}
{{- with (index .Values.components "import-reconciler").settings -}}
{{- if gt (int .allowDeletesDays) (int .importRetentionDays) -}}
{{- fail "components.import-reconciler.settings.allowDeletesDays is above importRetentionDays: a cancelled import can be allowed only as long as it is kept" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.smtp.enabled (hasSuffix ".invalid" (trimSuffix ">" .Values.smtp.from)) -}}
{{- fail "smtp.enabled is true, but smtp.from is no address that mail servers accept: set it to one of your domain" -}}
{{- end -}}
{{- range $name := $enabled -}}
{{- $values := include "survey.component" (dict "root" $ "name" $name) | fromJson -}}
{{- $where := printf "components.%s" $name -}}
{{- range $called := $values.facts.calls -}}
{{- if not (has $called $enabled) -}}
{{- fail (printf "components.%s.enabled is false, but %s calls it: enable it, or disable %s as well" $called $name $name) -}}
{{- end -}}
{{- end -}}
{{- if and (eq $values.facts.serves "grpc") (ne $values.service.type "ClusterIP") -}}
{{- fail (printf "%s.service.type must be ClusterIP: callers balance over the pods behind a headless service" $where) -}}
{{- end -}}
{{- $rollout := $values.rollout -}}
{{- if and (hasPrefix "0" (toString $rollout.maxSurge)) (hasPrefix "0" (toString $rollout.maxUnavailable)) -}}
{{- fail (printf "%s.rollout: maxSurge and maxUnavailable are both 0, so that no pod can be replaced: set one of them to 1" $where) -}}
{{- end -}}
{{- with $values.resources -}}
{{- if and .cpuLimit (lt (include "survey.millicores" .cpuLimit | int) (include "survey.millicores" .cpu | int)) -}}
{{- fail (printf "%s.resources.cpuLimit is below resources.cpu: raise it, or leave it empty" $where) -}}
{{- end -}}
{{- end -}}
{{- $scaling := $values.autoscaling -}}
{{- if and (ne $scaling.type "none") (gt (int $scaling.minReplicas) (int $scaling.maxReplicas)) -}}
{{- fail (printf "%s.autoscaling.minReplicas is above maxReplicas" $where) -}}
{{- end -}}
{{- if and (eq $scaling.type "keda") (not $values.facts.scaledBy) -}}
{{- fail (printf "%s.autoscaling.type is keda, but the service consumes no queue of JetStream to scale by: use hpa or none" $where) -}}
{{- end -}}
{{- if and (eq $scaling.type "keda") (not $.Values.bundled.enabled) (not $.Values.nats.monitoringEndpoint) -}}
{{- fail (printf "%s.autoscaling.type is keda: nats.monitoringEndpoint is required to read the lag, such as nats-headless.nats.svc.cluster.local:8222" $where) -}}
{{- end -}}
{{- if and (eq $name "account-admin") (ne $scaling.type "none") -}}
{{- fail "components.account-admin.autoscaling.type must be none: the service has few clients" -}}
{{- end -}}
{{- /* One additional connection for probes, so that they work while the others are busy. */ -}}
{{- $each := add 1 $values.facts.connections | int -}}
{{- if $values.facts.connectionsPerImport -}}
{{- $each = add $each (mul $values.facts.connectionsPerImport $values.settings.importConcurrency) | int -}}
{{- end -}}
{{- /* One additional pod during a rollout. */ -}}
{{- $pods := add 1 (include "survey.maxReplicas" $values | int) -}}
{{- $connections = add $connections (mul $each $pods) | int -}}
{{- $shares = append $shares (printf "%s %d for each of %d pods" $name $each $pods) -}}
{{- $replicaConnections = add $replicaConnections (mul (default 0 $values.facts.replicaConnections) $pods) | int -}}
{{- $memoryMi := include "survey.mebibytes" $values.resources.memory | int -}}
{{- $cacheMi := (default dict $values.settings).answerCacheMb | default 0 | int -}}
{{- $outsideMi := int $values.facts.outsideHeapMi -}}
{{- $neededMi := add (div (mul $memoryMi (int $values.heapPercent)) 100) $cacheMi $outsideMi | int -}}
{{- if gt $neededMi $memoryMi -}}
{{- fail (printf "%s: heapPercent of resources.memory, settings.answerCacheMb if there is one, and %dMi for code and what is being worked on are %dMi together, above resources.memory (%dMi)" $where $outsideMi $neededMi $memoryMi) -}}
{{- end -}}
{{- end -}}
{{- range .Values.monitoring.prometheusRule.exclude -}}
{{- if not ($.Files.Get (printf "alerts/%s.yaml" .)) -}}
{{- fail (printf "monitoring.prometheusRule.exclude: the alert %s does not exist" .) -}}
{{- end -}}
{{- end -}}
{{- if gt $connections (int .Values.postgres.maxConnections) -}}
{{- fail (printf "postgres.maxConnections is %d, but the services at maxReplicas, one more pod each during a rollout, and postgres.reservedConnections need %d (%s): raise it, use a PgBouncer in front of PostgreSQL, or lower maxReplicas" (int .Values.postgres.maxConnections) $connections (join ", " $shares)) -}}
{{- end -}}
{{- if and $replica.host (gt $replicaConnections (int $replica.maxConnections)) -}}
{{- fail (printf "postgres.replica.maxConnections is %d, but the services at maxReplicas, one more pod each during a rollout, and postgres.reservedConnections need %d: raise it, use a PgBouncer in front of the replica, or lower maxReplicas" (int $replica.maxConnections) $replicaConnections) -}}
{{- end -}}
{{- if and .Values.bundled.enabled $replica.host -}}
{{- fail "bundled.enabled and postgres.replica.host contradict each other: the bundled PostgreSQL has no replica" -}}
{{- end -}}
{{- if and .Values.postgres.citus.enabled (or .Values.bundled.enabled $replica.host) -}}
{{- fail "postgres.citus.enabled contradicts bundled.enabled and postgres.replica.host: the bundled PostgreSQL is no cluster, and a cluster has no replica with a single log position" -}}
{{- end -}}
{{- if and .Values.bundled.enabled (eq .Values.migrations.mode "hook") -}}
{{- fail "migrations.mode is hook, but the bundled PostgreSQL starts only after hooks: use auto or job" -}}
{{- end -}}
{{- if and .Values.bundled.enabled .Values.postgres.host -}}
{{- fail "bundled.enabled and postgres.host contradict each other: clear one of them" -}}
{{- end -}}
{{- if and .Values.bundled.enabled (gt (int .Values.nats.streamReplicas) 1) -}}
{{- fail "nats.streamReplicas is above 1, but the bundled NATS has one server" -}}
{{- end -}}
{{- end -}}

{{/*
Returns text for a host name, an IPv4 address or an IPv6 address without brackets. A name whose last part is a number would be taken for an address.
*/}}
{{- define "survey.isHost" -}}
{{- $byte := "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])" -}}
{{- $ipv4 := printf "%s(\\.%s){3}" $byte $byte -}}
{{- $label := "[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?" -}}
{{- $ipv6 := regexReplaceAll (printf ":%s$" $ipv4) . ":0:0" -}}
{{- $groups := len (regexFindAll "[0-9A-Fa-f]+" $ipv6 -1) -}}
{{- $run := "([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})*)" -}}
{{- if contains ":" . -}}
{{- if or (and (eq $groups 8) (regexMatch (printf "^%s$" $run) $ipv6)) (and (lt $groups 8) (regexMatch (printf "^%s?::%s?$" $run $run) $ipv6)) -}}yes{{- end -}}
{{- else if regexMatch "(^|\\.)([0-9]+|0[xX][0-9A-Fa-f]*)$" . -}}
{{- if regexMatch (printf "^%s$" $ipv4) . -}}yes{{- end -}}
{{- else if and (le (len .) 253) (regexMatch (printf "^%s(\\.%s)*$" $label $label) .) -}}yes{{- end -}}
{{- end -}}

{{- define "survey.millicores" -}}
{{- if hasSuffix "m" . }}{{ trimSuffix "m" . }}{{ else }}{{ mul 1000 (int .) }}{{ end -}}
{{- end -}}
