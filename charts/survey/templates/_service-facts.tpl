{{/*
Fixed properties of each service, used by both charts. test/chart compares them with the services.
  serves:       http on port 8080, or grpc on port 50051; every service has the probe port 9090
  role:         PostgreSQL role
  calls:        services that it calls
  stores:       stores and external services that it connects to, the latter only when values name them
  connections:  maximum PostgreSQL connections; connectionsPerImport more for each concurrent import
  replicaConnections: maximum connections to a replica
  nodeFlags:    V8 flags for the size of the young generation
  outsideHeapMi: memory outside the old generation of the heap and the answer cache, measured during loads of facts and
                imports: code, young generation, what is being decoded and written, and models
  consumers:    what it reads from JetStream: stream, durable consumer and its subjects
  publishes:    subjects that it may publish
  subscribes:   subjects that it may listen to beside its consumers
  scaledBy:     the consumers whose lag asks for more replicas
*/}}
{{- define "survey.components" -}}
gateway:
  serves: http
  role: survey_gateway
  calls: [export, import-reconciler, scoring-anonymity, text-analysis]
  stores: [postgres, nats, redis]
  connections: 4
  nodeFlags: --max-semi-space-size=32
  outsideHeapMi: 112
  consumers: []
  publishes: []
  subscribes: [events.key.revoked]
  scaledBy: []
export:
  serves: grpc
  role: survey_export
  calls: []
  stores: [postgres, nats]
  connections: 24
  replicaConnections: 12
  nodeFlags: --max-semi-space-size=32
  outsideHeapMi: 128
  consumers:
    - { stream: INTAKE, name: export-survey, subject: intake.survey.* }
    - { stream: INTAKE, name: export-question, subject: intake.question.* }
    - { stream: INTAKE, name: export-cycle, subject: intake.cycle.* }
    - { stream: INTAKE, name: export-assignment, subject: intake.assignment.* }
    - { stream: INTAKE, name: export-initiative, subject: intake.initiative.* }
  publishes: []
  subscribes: [events.import.applied, events.account.closed, events.employee.erased]
  scaledBy: []
import-reconciler:
  serves: grpc
  role: survey_imports
  calls: []
  stores: [postgres, nats, smtp]
  connections: 20
  connectionsPerImport: 2
  nodeFlags: --max-semi-space-size=8
  outsideHeapMi: 128
  consumers:
    - { stream: JOBS, name: import-reconciler, subject: jobs.import }
    - { stream: INTAKE, name: import-reconciler-employee, subject: intake.employee.* }
  publishes: [jobs.import, events.import.*, events.employee.*, progress.import.*, "$JS.API.STREAM.MSG.GET.EVENTS"]
  subscribes: [events.import.applied, events.settings.changed, events.account.closed, events.employee.erased]
  scaledBy: [import-reconciler]
scoring-anonymity:
  serves: grpc
  role: survey_scoring
  calls: []
  stores: [postgres, nats]
  connections: 20
  replicaConnections: 3
  nodeFlags: --max-semi-space-size=8
  outsideHeapMi: 144
  consumers:
    - { stream: INTAKE, name: scoring-anonymity-survey, subject: intake.survey.* }
    - { stream: INTAKE, name: scoring-anonymity-question, subject: intake.question.* }
    - { stream: INTAKE, name: scoring-anonymity-cycle, subject: intake.cycle.* }
    - { stream: INTAKE, name: scoring-anonymity-response, subject: intake.response.* }
  publishes: []
  subscribes: [events.import.applied, events.settings.changed, events.account.closed, events.employee.erased]
  scaledBy: []
text-analysis:
  serves: grpc
  role: survey_text
  calls: [scoring-anonymity]
  stores: [postgres, nats]
  connections: 24
  nodeFlags: --max-semi-space-size=8
  outsideHeapMi: 192
  consumers:
    - { stream: INTAKE, name: text-analysis-question, subject: intake.question.* }
    - { stream: INTAKE, name: text-analysis-response, subject: intake.response.* }
    - { stream: INTAKE, name: text-analysis-topic, subject: intake.topic.* }
    - { stream: INTAKE, name: text-analysis-topic_assignment, subject: intake.topic_assignment.* }
    - { stream: JOBS, name: text-analysis-mask, subject: jobs.mask }
    - { stream: JOBS, name: text-analysis-categorise, subject: jobs.categorise }
    - { stream: JOBS, name: text-analysis-sentiment, subject: jobs.sentiment }
  publishes: [jobs.mask, jobs.categorise, jobs.sentiment, events.text.*, events.topic.*, "$JS.API.STREAM.MSG.GET.EVENTS"]
  subscribes: [events.import.applied, events.settings.changed, events.account.closed, events.employee.erased]
  scaledBy: [text-analysis-response, text-analysis-mask, text-analysis-categorise, text-analysis-sentiment]
account-admin:
  serves: grpc
  role: survey_admin
  calls: [import-reconciler, text-analysis]
  stores: [postgres, nats]
  connections: 10
  nodeFlags: --max-semi-space-size=8
  outsideHeapMi: 80
  consumers: []
  publishes: [events.key.revoked, events.settings.changed, events.account.*, "$JS.API.STREAM.MSG.GET.EVENTS", "$JS.API.STREAM.PURGE.INTAKE", deletions.>, "$JS.API.STREAM.INFO.DELETIONS", "$JS.API.STREAM.MSG.GET.DELETIONS"]
  subscribes: [progress.import.*, events.settings.changed, events.employee.erased]
  scaledBy: []
{{- end -}}

{{/* Permissions of NATS users other than services. `application` is the survey application, which publishes facts and consumes events. */}}
{{- define "survey.busUsers" -}}
prepare:
  publishes: [$JS.API.>]
  subscribes: []
ops-tools:
  publishes: [intake.>, $JS.API.INFO, $JS.API.STREAM.INFO.*, $JS.API.CONSUMER.INFO.INTAKE.*]
  subscribes: []
application:
  publishes: [intake.>, $JS.API.INFO, $JS.API.STREAM.INFO.*, $JS.API.CONSUMER.INFO.EVENTS.*, $JS.API.CONSUMER.MSG.NEXT.EVENTS.*, $JS.ACK.EVENTS.>]
  subscribes: [events.>]
{{- end -}}

{{/* Users of nats-server with minimal permissions. Passwords come from the environment, such as GATEWAY_PASSWORD. */}}
{{- define "survey.natsUsers" -}}
{{- $users := include "survey.busUsers" . | fromYaml -}}
{{- range $name, $facts := include "survey.components" . | fromYaml -}}
{{- $publishes := $facts.publishes -}}
{{- range $facts.consumers -}}
{{- $place := printf "%s.%s" .stream .name -}}
{{- $publishes = concat $publishes (list (printf "$JS.API.CONSUMER.INFO.%s" $place) (printf "$JS.API.CONSUMER.MSG.NEXT.%s" $place) (printf "$JS.ACK.%s.>" $place) (printf "$JS.API.STREAM.INFO.%s" .stream) (printf "$JS.API.CONSUMER.DELETE.%s" $place) (printf "$JS.API.CONSUMER.CREATE.%s.%s" $place .subject)) -}}
{{- if eq .stream "INTAKE" -}}
{{- $publishes = append $publishes (printf "progress.facts.%s" .name) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $users $name (dict "publishes" (uniq $publishes) "subscribes" $facts.subscribes) -}}
{{- end -}}
{{- range $name, $user := $users }}
{
  user: {{ $name }}
  password: ${{ $name | upper | replace "-" "_" }}_PASSWORD
  permissions: {
    {{- /* nats-server treats an empty list as no restriction. */}}
    publish: { {{ if $user.publishes }}allow: {{ toRawJson $user.publishes }}{{ else }}deny: [">"]{{ end }} }
    subscribe: { allow: {{ append $user.subscribes (printf "_INBOX.%s.>" $name) | toRawJson }} }
  }
}
{{- end }}
{{- end -}}
